"""What PyTorch's optimizers, schedules and layers make of fixed inputs, for tests/optim and tests/nn."""

import torch
import torch.nn.functional as F

from torch_training import numbers, written

STEPS = 1000
EVERY = 100
BATCH = 8
ROWS = 24


def mlp(p, x):
    return F.linear(torch.tanh(F.linear(x, p["hidden.weight"], p["hidden.bias"])), p["out.weight"], p["out.bias"])


def first_parameters():
    return {
        "hidden.weight": numbers(6, 4, scale=0.6, seed=31),
        "hidden.bias": numbers(6, scale=0.1, seed=32),
        "out.weight": numbers(3, 6, scale=0.5, seed=33),
        "out.bias": numbers(3, scale=0.1, seed=34),
    }


def grouped(p):
    return [
        {"params": [p["out.weight"]], "lr": 1e-3 * 0.25},
        {"params": [p["hidden.bias"], p["out.bias"]], "weight_decay": 0.0},
        {"params": [p["hidden.weight"]]},
    ]


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p.values(), lr=0.1),
    "sgd_decay": lambda p: torch.optim.SGD(p.values(), lr=0.1, weight_decay=0.01),
    "sgd_momentum": lambda p: torch.optim.SGD(p.values(), lr=0.02, momentum=0.9),
    "sgd_nesterov": lambda p: torch.optim.SGD(p.values(), lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.001),
    "adam": lambda p: torch.optim.Adam(p.values()),
    "adam_decay": lambda p: torch.optim.Adam(p.values(), lr=0.01, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.01),
    "adamw": lambda p: torch.optim.AdamW(p.values()),
    "adamw_groups": lambda p: torch.optim.AdamW(grouped(p), lr=1e-3, weight_decay=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p.values(), lr=0.001, alpha=0.9),
    "rmsprop_all": lambda p: torch.optim.RMSprop(p.values(), lr=0.0005, alpha=0.99, eps=1e-6, momentum=0.8, centered=True,
                                                 weight_decay=0.001),
    "adagrad": lambda p: torch.optim.Adagrad(p.values()),
    "adagrad_decay": lambda p: torch.optim.Adagrad(p.values(), lr=0.05, weight_decay=0.01, eps=1e-6),
}


def optimizer_runs():
    """Step s sees rows 8 s, 8 s + 1, ... 8 s + 7, modulo 24. Losses are those of every 100th step."""
    x = numbers(ROWS, 4, scale=1.5, seed=35)
    y = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
    for name, make_optimizer in OPTIMIZERS.items():
        first = first_parameters()
        parameters = {key: p.clone().requires_grad_(True) for key, p in first.items()}
        optimizer = make_optimizer(parameters)
        losses = []
        for step in range(STEPS):
            rows = (step * BATCH + torch.arange(BATCH)) % ROWS
            loss = F.cross_entropy(mlp(parameters, x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % EVERY == 0:
                losses.append(loss.item())
        yield {
            "name": name,
            "x": written(x),
            "y": written(y),
            "first": {key: written(p) for key, p in first.items()},
            "losses": losses,
            "last": {key: written(p) for key, p in parameters.items()},
        }


def rates(make_schedule, steps):
    parameter = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    schedule = make_schedule(optimizer)
    result = []
    for _ in range(steps):
        result.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return torch.tensor(result)


def plateau_rates(losses, **options):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
    result = []
    for loss in losses.tolist():
        schedule.step(loss)
        result.append(optimizer.param_groups[0]["lr"])
    return torch.tensor(result)


def schedules():
    """Inputs are the steps (or, for a plateau, the losses); values are the rates."""
    from torch.optim import lr_scheduler as s

    def one(name, make_schedule, steps):
        return {"name": name, "inputs": [written(torch.arange(steps))], "value": written(rates(make_schedule, steps))}

    yield one("step", lambda o: s.StepLR(o, 10, 0.5), 35)
    yield one("exponential", lambda o: s.ExponentialLR(o, 0.9), 20)
    yield one("cosine", lambda o: s.CosineAnnealingLR(o, 30, eta_min=0.02), 31)
    yield one("linear", lambda o: s.LinearLR(o, start_factor=0.2, end_factor=0.8, total_iters=12), 20)
    yield one("warm_up", lambda o: s.LinearLR(o, start_factor=1 / 9, end_factor=1.0, total_iters=8), 20)
    # Falls, stays, falls a little too little, rises, and stays for long.
    losses = torch.tensor([3.0, 2.0, 1.5, 1.5, 1.49999, 1.6, 1.2, 1.3, 1.3, 1.3, 1.3, 1.1] + [1.1] * 20 + [0.5, 0.6] * 6)
    yield {"name": "plateau", "inputs": [written(losses)],
           "value": written(plateau_rates(losses, factor=0.5, patience=2, threshold=1e-4))}
    yield {"name": "plateau_cooldown", "inputs": [written(losses)],
           "value": written(plateau_rates(losses, factor=0.3, patience=1, cooldown=3, threshold=0.05, min_lr=0.01))}


def layer_runs():
    """A network of many layers: its state before and after one pass in training, and what it predicts before that."""
    torch.manual_seed(5)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(2, 6, (3, 2), stride=2, padding=1, groups=2),
        torch.nn.BatchNorm2d(6),
        torch.nn.ReLU(),
        torch.nn.ConvTranspose2d(6, 4, 3, stride=2, padding=1, output_padding=1, bias=False),
        torch.nn.GroupNorm(2, 4),
        torch.nn.SiLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.LayerNorm(64),
        torch.nn.Linear(64, 5),
        torch.nn.LogSoftmax(-1),
    ).double()
    with torch.no_grad():
        for i, (key, value) in enumerate(model.state_dict().items()):
            if value.is_floating_point():
                value.copy_(numbers(*value.shape, scale=0.5, seed=50 + i) + (0.7 if "running_var" in key else 0.0))
    x = numbers(3, 2, 7, 6, scale=1.0, seed=49)
    model.eval()
    predicted = model(x)
    first = {key: written(value) for key, value in model.state_dict().items()}
    model.train()
    loss = model(x).square().sum()
    yield {"name": "layers", "x": written(x), "y": written(predicted), "first": first, "losses": [loss.item()],
           "last": {key: written(value) for key, value in model.state_dict().items()}}
