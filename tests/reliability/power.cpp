// Builds the disk as a power failure may leave it, from a record of what processes did to a folder.
//   usage: reliability_power RECORD                   prints the number of operations
//          reliability_power RECORD BEFORE AFTER SEED builds AFTER and describes it in a line
//   The record is written by faults.cpp (FAULT_RECORD) and starts with the folder BEFORE. The seed draws the moment of
//   the failure, and which operations before it reached the disk beyond the guarantees of fsync:
//     names: those of a folder up to its last fsync, and the first ones of all others, in the order of a journal
//     contents: those of a file up to its last fsync; of later writes none, all, those before some moment, those of
//     some files, or some blocks of 4 KiB
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr uint64_t block_bytes = 4096;

// C created, T created or truncated, W written, Z truncated to a length, S synced, R renamed, L hard link, Y symbolic
// link, U removed, M folder made.
struct Operation {
  char kind = 0;
  uint64_t offset = 0;
  std::string path, other, data;
};

std::vector<Operation> read_record(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<Operation> operations;
  for (std::string line; std::getline(in, line);) {
    std::istringstream head(line);
    Operation one;
    size_t path = 0, other = 0, data = 0;
    if (!(head >> one.kind >> one.offset >> path >> other >> data)) throw std::runtime_error("bad entry: " + line);
    for (auto [text, size] : {std::pair(&one.path, path), {&one.other, other}, {&one.data, data}}) {
      text->resize(size);
      in.read(text->data(), static_cast<std::streamsize>(size));
    }
    operations.push_back(std::move(one));
  }
  return operations;
}

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t below(uint64_t n) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % n;
  }

 private:
  uint64_t state_;
};

struct Node;
using NodePointer = std::shared_ptr<Node>;

// A file, folder or symbolic link: its state on the disk, and the operations since its last fsync.
struct Node {
  enum Kind { file, folder, link } kind = file;
  std::string bytes;                         // bytes of a file; target of a link
  std::map<std::string, NodePointer> names;  // entries of a folder
  std::vector<size_t> writes;
  struct NameChange {
    size_t operation;
    std::string name;
    NodePointer node;  // null: removed
  };
  std::vector<NameChange> changes;
  std::map<std::string, NodePointer> now;  // entries as processes see them
};

NodePointer load(const fs::path& place) {
  auto node = std::make_shared<Node>();
  if (fs::is_symlink(place)) {
    node->kind = Node::link;
    node->bytes = fs::read_symlink(place);
  } else if (fs::is_directory(place)) {
    node->kind = Node::folder;
    for (const auto& entry : fs::directory_iterator(place)) node->names[entry.path().filename()] = load(entry.path());
    node->now = node->names;
  } else {
    std::ifstream in(place, std::ios::binary);
    node->bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  return node;
}

class Disk {
 public:
  Disk(NodePointer root, const std::vector<Operation>& operations) : root_(std::move(root)), operations_(operations) {}

  void apply(size_t index) {
    const Operation& one = operations_[index];
    const NodePointer node = find(one.path);
    switch (one.kind) {
      case 'C':
      case 'T':
        if (!node) change(index, one.path, std::make_shared<Node>());
        if (node && one.kind == 'T') node->writes.push_back(index);
        break;
      case 'W':
      case 'Z':
        if (node) node->writes.push_back(index);
        break;
      case 'M':
        change(index, one.path, folder_node());
        break;
      case 'Y':
        change(index, one.path, link_to(one.other));
        break;
      case 'U':
        change(index, one.path, nullptr);
        break;
      case 'L':
        if (node) change(index, one.other, node);
        break;
      case 'R':
        if (!node) break;
        change(index, one.path, nullptr);
        change(index, one.other, node);
        break;
      case 'S':
        if (node) sync(*node);
        break;
      default:
        throw std::runtime_error(fmt::format("unknown operation '{}'", one.kind));
    }
  }

  // Writes the files that remain if the name changes before operation `names` survive, and the writes that `survives`
  // accepts.
  template <class Survives>
  void write(const fs::path& place, size_t names, Survives survives) {
    write(*root_, place, names, survives);
  }

 private:
  static NodePointer folder_node() {
    auto node = std::make_shared<Node>();
    node->kind = Node::folder;
    return node;
  }
  static NodePointer link_to(const std::string& target) {
    auto node = std::make_shared<Node>();
    node->kind = Node::link;
    node->bytes = target;
    return node;
  }

  NodePointer find(const fs::path& path) const {
    NodePointer node = root_;
    for (const auto& part : path) {
      const auto found = node->now.find(part);
      if (found == node->now.end()) return nullptr;
      node = found->second;
    }
    return node;
  }

  void change(size_t index, const fs::path& path, const NodePointer& node) {
    const NodePointer parent = path.has_parent_path() ? find(path.parent_path()) : root_;
    if (!parent) return;
    if (node)
      parent->now[path.filename()] = node;
    else
      parent->now.erase(path.filename());
    parent->changes.push_back({index, path.filename(), node});
  }

  void sync(Node& node) {
    for (const size_t index : node.writes) write_to(node.bytes, operations_[index], [](uint64_t) { return true; });
    node.writes.clear();
    for (const auto& change : node.changes) durable_.insert(change.operation);
  }

  template <class Block>
  static void write_to(std::string& bytes, const Operation& one, Block survives) {
    if (one.kind == 'T') bytes.clear();
    if (one.kind == 'Z') bytes.resize(one.offset);
    if (one.kind != 'W') return;
    const uint64_t end = one.offset + one.data.size();
    bytes.resize(std::max<uint64_t>(bytes.size(), end));
    for (uint64_t at = one.offset; at < end;) {
      const uint64_t next = std::min(end, (at / block_bytes + 1) * block_bytes);
      if (survives(at / block_bytes)) bytes.replace(at, next - at, one.data, at - one.offset, next - at);
      at = next;
    }
  }

  template <class Survives>
  void write(const Node& node, const fs::path& place, size_t names, Survives survives) {
    if (node.kind == Node::link) return fs::create_symlink(node.bytes, place);
    if (node.kind == Node::folder) {
      auto left = node.names;
      for (const auto& change : node.changes) {
        if (change.operation >= names && !durable_.contains(change.operation)) continue;
        if (change.node)
          left[change.name] = change.node;
        else
          left.erase(change.name);
      }
      fs::create_directories(place);
      for (const auto& [name, child] : left) write(*child, place / name, names, survives);
      return;
    }
    std::string bytes = node.bytes;
    for (const size_t index : node.writes) {
      if (survives(node, index, UINT64_MAX))
        write_to(bytes, operations_[index], [&](uint64_t block) { return survives(node, index, block); });
    }
    std::ofstream(place, std::ios::binary) << bytes;
  }

  NodePointer root_;
  const std::vector<Operation>& operations_;
  std::set<size_t> durable_;  // name changes that were synced
};

// Draws a moment; half of them are next to calls that change names or sync.
size_t moment_of(const std::vector<Operation>& operations, Random& random) {
  std::vector<size_t> around;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (std::string("SRLYU").find(operations[i].kind) == std::string::npos) continue;
    around.push_back(i);
    around.push_back(i + 1);
  }
  if (!around.empty() && random.below(2) == 0) return around[random.below(around.size())];
  return random.below(operations.size() + 1);
}

std::string build(const std::vector<Operation>& operations, const fs::path& before, const fs::path& after,
                  uint64_t seed) {
  Random random(seed);
  const size_t end = moment_of(operations, random);
  Disk disk(load(before), operations);
  for (size_t i = 0; i < end; ++i) disk.apply(i);

  constexpr const char* ways[] = {"nothing", "everything", "a beginning", "some files", "some blocks"};
  const uint64_t way = random.below(std::size(ways));
  const size_t last = end - std::min<size_t>(end, random.below(40)),
               names = end - std::min<size_t>(end, random.below(20));
  const size_t first_names = way == 0 ? 0 : way == 1 ? end : names;
  const uint64_t salt = random.below(UINT64_MAX);
  std::map<const Node*, bool> kept_files;
  disk.write(after, first_names, [&](const Node& file, size_t operation, uint64_t block) {
    if (way <= 1) return way == 1;
    if (way == 2) return operation < last;
    if (way == 3) return kept_files.try_emplace(&file, random.below(2) == 0).first->second;
    if (block == UINT64_MAX) return true;
    return Random(salt ^ operation * 0x1000193 ^ block << 32).below(2) == 0;
  });
  const std::string next = end < operations.size() ? fmt::format("{} {}", operations[end].kind, operations[end].path)
                                                   : std::string("the end");
  return fmt::format("power fails before operation {} of {} ({}); of what was not synced, {} survives", end,
                     operations.size(), next, ways[way]);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 5) return 2;
  const auto operations = read_record(argv[1]);
  if (argc == 2)
    fmt::print("{}\n", operations.size());
  else
    fmt::print("{}\n", build(operations, argv[2], argv[3], std::stoull(argv[4])));
} catch (const std::exception& error) {
  fmt::print(stderr, "reliability_power: {}\n", error.what());
  return 1;
}
