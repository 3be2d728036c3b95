"""100 training steps of a small MLP and a small CNN with PyTorch: the data, the first weights, the losses, the last weights."""

import torch
import torch.nn.functional as F

STEPS = 100


def numbers(*shape, scale, seed):
    generator = torch.Generator().manual_seed(seed)
    return (scale * (2 * torch.rand(*shape, generator=generator) - 1)).mul(1e4).round().div(1e4)


def mlp(p, x):
    return F.linear(torch.tanh(F.linear(x, p["w1"], p["b1"])), p["w2"], p["b2"])


def cnn(p, x):
    x = F.max_pool2d(F.relu(F.conv2d(x, p["w1"], p["b1"], padding=1)), 2)
    x = F.relu(F.conv2d(x, p["w2"], p["b2"]))
    return F.linear(x.flatten(1), p["w3"], p["b3"])


def make_mlp():
    parameters = {
        "w1": numbers(16, 6, scale=0.5, seed=1),
        "b1": numbers(16, scale=0.1, seed=2),
        "w2": numbers(3, 16, scale=0.4, seed=3),
        "b2": numbers(3, scale=0.1, seed=4),
    }
    x = numbers(24, 6, scale=1.5, seed=5)
    y = ((x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long())
    return mlp, parameters, x, y


def make_cnn():
    parameters = {
        "w1": numbers(4, 1, 3, 3, scale=0.5, seed=11),
        "b1": numbers(4, scale=0.1, seed=12),
        "w2": numbers(6, 4, 3, 3, scale=0.25, seed=13),
        "b2": numbers(6, scale=0.1, seed=14),
        "w3": numbers(3, 24, scale=0.3, seed=15),
        "b3": numbers(3, scale=0.1, seed=16),
    }
    x = numbers(12, 1, 8, 8, scale=1.0, seed=17)
    y = (x.mean((1, 2, 3)) > 0).long() + (x[:, 0, 0, 0] > 0).long()
    return cnn, parameters, x, y


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "sgd_momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "sgd_nesterov_decay": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "adam_decay": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.1),
}


def written(tensor):
    kind = "i64" if not tensor.is_floating_point() else "f64"
    return {"dtype": kind, "shape": list(tensor.shape), "data": tensor.detach().reshape(-1).tolist()}


def training_runs():
    for model_name, make in (("mlp", make_mlp), ("cnn", make_cnn)):
        for optimizer_name, make_optimizer in OPTIMIZERS.items():
            model, parameters, x, y = make()
            run = {
                "name": f"{model_name}_{optimizer_name}",
                "x": written(x),
                "y": written(y),
                "first": {name: written(p) for name, p in parameters.items()},
                "losses": [],
            }
            parameters = {name: p.clone().requires_grad_(True) for name, p in parameters.items()}
            optimizer = make_optimizer(list(parameters.values()))
            for _ in range(STEPS):
                loss = F.cross_entropy(model(parameters, x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run["losses"].append(loss.item())
            run["last"] = {name: written(p) for name, p in parameters.items()}
            yield run
