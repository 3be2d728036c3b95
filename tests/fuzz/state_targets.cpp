// State that is loaded into something: models, optimizers, checkpoints, models of tables. The files are
// well-formed; what they hold has other shapes, types, names and values than what they are loaded into. What
// was accepted is then used.
#include <memory>

#include "likely/core/error.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/io/model_file.hpp"
#include "likely/models/tables/table_model.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/loss.hpp"
#include "likely/optim/optim.hpp"
#include "likely/train/fit.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_json.hpp"
#include "tests/fuzz/raw_tensors.hpp"
#include "tests/fuzz/sane.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {

namespace {

using Paths = const std::filesystem::path&;

struct Model {
  nn::Linear first;
  nn::BatchNorm norm;
  nn::Linear out;
  data::Standardizer scaler;

  // Large enough that a tensor of another shape lies in memory of another size.
  Model()
      : first(12, 9, Rng(1)),
        norm(9),
        out(9, 2, Rng(2)),
        scaler(data::Standardizer::fit(Rng(3).normal({9, 12}))) {}
  Tensor operator()(const Tensor& x) const { return out(norm(first(scaler.apply(x)))); }
  Tensor operator()(const Tensor& x, const Training& training) {
    return out(norm(first(scaler.apply(x)), training));
  }
  LIKELY_PARTS(first, norm, out, scaler)
};

const data::Batch& batch() {
  static const data::Batch kBatch{Rng(4).normal({3, 12}), tensor({0, 1, 1})};
  return kBatch;
}

constexpr auto kLoss = [](auto& model, const data::Batch& rows, const auto&... training) {
  return softmax_cross_entropy(model(rows.x, training...), rows.y);
};

// What is done with something that was loaded may be refused, no more.
template <class Use>
void use(Use&& what) {
  try {
    what();
  } catch (const Error&) {  // named an operation and its shapes
  }
}

template <Tree T>
std::vector<Shape> shapes_of(const T& tree) {
  std::vector<Shape> shapes;
  for (const Part& part : named_parts(tree))
    shapes.push_back(part.value.defined() ? part.value.shape() : Shape{});
  return shapes;
}

std::string file_of(const Reader& write) { return written(write, "file.safetensors"); }

RawTensors tensors_of(std::string_view bytes) {
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "file", bytes);
  return raw(io::load_safetensors(folder / "file"));
}

// A model and its optimizer after two epochs, and the files of both.
template <class Optimizer>
class Trained {
 public:
  explicit Trained(Optimizer (*make)(const Model&)) : make_(make), optimizer_(make(model_)) {
    const testing::TemporaryFolder folder;
    go_on(model_, optimizer_, folder / "run", 2);
    for (const auto& entry : std::filesystem::directory_iterator(folder / "run")) {
      if (entry.is_regular_file())
        run_.push_back({entry.path().filename().string(), testing::read_bytes(entry.path())});
    }
    optimizer_file_ = tensors_of(file_of([&](Paths path) { io::save(path, optimizer_); }));
  }

  // Into an optimizer that has made no step, or some: what follows must be a step or a refusal.
  Verdict load_optimizer(Choices& choices) const {
    Model model = model_;
    Optimizer optimizer = choices.one_in(2) ? optimizer_ : make_(model);
    RawTensors file = optimizer_file_;
    distort(file, choices);
    const Verdict verdict =
        read_file(safetensors_of(file), 2.0 * kPlain, [&](Paths path) { io::load(path, optimizer); });
    look_at_state(optimizer);
    use([&] { optimizer.step(model, model_); });
    demand(shapes_of(model) == shapes_of(model_), "a step has changed a shape");
    return verdict;
  }

  // A training that goes on from a run folder of which a file says something else.
  Verdict resume(Choices& choices) const {
    std::vector<NamedFile> files = run_;
    NamedFile& file = files[choices.below(files.size())];
    if (file.name.ends_with(".safetensors")) {
      RawTensors tensors = tensors_of(file.bytes);
      distort(tensors, choices);
      file.bytes = safetensors_of(tensors);
    } else {
      file.bytes = distorted_json(file.bytes, choices);
    }
    Model model;
    Optimizer optimizer = make_(model);
    Verdict verdict = Verdict::accepted;
    read_folder(files, 1000.0 * kPlain, [&](Paths folder) {
      try {
        go_on(model, optimizer, folder, 3);
      } catch (const Error&) {  // of the file, or of what its numbers led to
        verdict = Verdict::refused;
      }
    });
    demand(shapes_of(model) == shapes_of(model_), "a checkpoint has changed a shape");
    if (verdict == Verdict::accepted) {
      look_at_state(model);
      look_at_state(optimizer);
    }
    return verdict;
  }

 private:
  static void go_on(Model& model, Optimizer& optimizer, Paths folder, std::int64_t epochs) {
    train::fit(model, optimizer, {.train = data::Dataset(batch().x, batch().y)}, kLoss,
               {.epochs = epochs,
                .batch = 3,
                .out = folder,
                .resume = true,
                .figures = false,
                .progress = train::Progress::silent,
                .catch_interrupt = false});
  }

  Model model_;
  Optimizer (*make_)(const Model&);
  Optimizer optimizer_;
  RawTensors optimizer_file_;
  std::vector<NamedFile> run_;
};

std::vector<std::string> starts() {
  return {"", std::string(40, '\1'), std::string("\0\2\1\5\7", 5), std::string(60, '\x0b')};
}

template <class Optimizer>
void add_optimizer(std::vector<Target>& all, const std::string& name, Optimizer (*make)(const Model&)) {
  const auto trained = std::make_shared<const Trained<Optimizer>>(make);
  all.push_back({"optimizer_" + name + "_meaning",
                 [trained](std::string_view input) {
                   Choices choices(input);
                   return choices.one_in(2) ? trained->load_optimizer(choices) : trained->resume(choices);
                 },
                 starts, false});
}

// What searches remember does not follow from the model's shapes; a step follows, or a refusal.
template <class Search>
void add_search(std::vector<Target>& all, const std::string& name) {
  const auto loss = [](const Model& m) { return softmax_cross_entropy(m(batch().x), batch().y); };
  const auto before = std::make_shared<const Search>([&] {
    Model model;
    Search search;
    search.minimize(model, loss, {.max_iterations = 3});
    return search;
  }());
  const auto remembered =
      std::make_shared<const RawTensors>(tensors_of(file_of([&](Paths path) { io::save(path, *before); })));
  all.push_back({"optimizer_" + name + "_meaning",
                 [=](std::string_view input) {
                   Choices choices(input);
                   Search search = choices.one_in(2) ? *before : Search();
                   RawTensors file = *remembered;
                   distort(file, choices);
                   const Verdict verdict = read_file(safetensors_of(file), 2.0 * kPlain,
                                                     [&](Paths path) { io::load(path, search); });
                   look_at_state(search);
                   Model model;
                   const std::vector<Shape> shapes = shapes_of(model);
                   use([&] { search.step(model, loss); });
                   demand(shapes_of(model) == shapes, "a step has changed a shape");
                   look_at_state(model);
                   return verdict;
                 },
                 starts, false});
}

tables::TableModel table_model() {
  Rng rng(7);
  const tables::Schema schema{
      .inputs = {{"height"}, {"species", true, {"cat", "dog"}}}, .target = "y", .classes = {"a", "b"}};
  std::vector<double> x;
  std::vector<std::int64_t> y;
  for (int i = 0; i < 24; ++i) {
    x.push_back(0.5 * i);
    x.push_back(i % 2);
    y.push_back(i % 3 == 0 ? 1 : 0);
  }
  auto fitted = tables::fit_model(schema, tensor(x, {24, 2}), tensor(y),
                                  {.hidden = {3}, .members = 2, .epochs = 2}, rng);
  return fitted->model;
}

struct TableFiles {
  std::string columns;
  RawTensors model;
};

TableFiles table_files() {
  const testing::TemporaryFolder folder;
  table_model().save(folder.path());
  return {testing::read_bytes(folder / "columns.json"),
          raw(io::load_safetensors(folder / "model.safetensors"))};
}

}  // namespace

void add_state_targets(std::vector<Target>& all) {
  add_optimizer<optim::Adam>(all, "adam", [](const Model& m) { return optim::Adam(m, {.lr = 0.1}); });
  add_optimizer<optim::AdamW>(all, "adamw", [](const Model& m) { return optim::AdamW(m, {.lr = 0.1}); });
  add_optimizer<optim::Sgd>(all, "sgd",
                            [](const Model& m) { return optim::Sgd(m, {.lr = 0.1, .momentum = 0.9}); });
  add_optimizer<optim::Rmsprop>(all, "rmsprop", [](const Model& m) {
    return optim::Rmsprop(m, {.lr = 0.1, .momentum = 0.5, .centred = true});
  });
  add_optimizer<optim::Adagrad>(all, "adagrad",
                                [](const Model& m) { return optim::Adagrad(m, {.lr = 0.1}); });
  add_optimizer<optim::Langevin>(all, "langevin", [](const Model& m) {
    return optim::Langevin(m, {.lr = 1e-3, .examples = 3}, Rng(8));
  });
  add_search<optim::Lbfgs>(all, "lbfgs");
  add_search<optim::GradientDescent>(all, "gradient_descent");

  const auto model_file = std::make_shared<const RawTensors>([] {
    const testing::TemporaryFolder folder;
    io::save(folder / "file", Model(), {{"epoch", "3"}});
    return raw(io::load_safetensors(folder / "file"));
  }());
  all.push_back({"model_meaning",
                 [model_file](std::string_view input) {
                   Choices choices(input);
                   Model model;
                   const std::vector<Shape> before = shapes_of(model);
                   RawTensors file = *model_file;
                   distort(file, choices);
                   const Verdict verdict =
                       read_file(safetensors_of(file, choices.one_in(4) ? &choices : nullptr), 2.0 * kPlain,
                                 [&](Paths path) { io::load(path, model); });
                   demand(shapes_of(model) == before, "loading has changed a shape");
                   look_at_state(model);
                   use([&] { model(batch().x); });
                   return verdict;
                 },
                 starts, false});

  const auto table = std::make_shared<const TableFiles>(table_files());
  all.push_back({"table_model_meaning",
                 [table](std::string_view input) {
                   Choices choices(input);
                   TableFiles files = *table;
                   if (choices.one_in(2)) files.columns = distorted_json(files.columns, choices);
                   if (choices.one_in(2)) distort(files.model, choices);
                   if (choices.one_in(3)) {
                     std::string& sizes = files.model.metadata["sizes"];
                     sizes = distorted_json(sizes, choices);
                   }
                   return read_folder(
                       {{"columns.json", files.columns}, {"model.safetensors", safetensors_of(files.model)}},
                       8.0 * kPlain, [&](Paths folder) {
                         const tables::TableModel model = tables::TableModel::load(folder);
                         const auto width = static_cast<std::int64_t>(model.schema.inputs.size());
                         if (width > 100) return;
                         use([&] {
                           const Tensor y = model.predict(zeros({3, width}, DType::f64));
                           demand(y.dim(0) == 3, "predictions for other rows");
                         });
                       });
                 },
                 starts, false});
}

}  // namespace likely::fuzz
