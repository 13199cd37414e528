#include "snapshot/call_tree_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "snapshot/call_tree.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"
#include "snapshot/text_table.h"

namespace heaptally {
namespace {

constexpr double kMinShare = 0.01;
constexpr size_t kMostRows = 100;
constexpr size_t kNumbersWidth = 42;
// Deeper branches are drawn without further indentation.
constexpr size_t kMostIndent = 40;

class TreePrinter {
 public:
  TreePrinter(std::ostream& out, const CallTree& tree, const Census& census)
      : out_(out), tree_(tree), census_(census) {}

  void Print() {
    const size_t tops =
        std::count_if(tree_.nodes.begin(), tree_.nodes.end(),
                      [](const CallTreeNode& node) { return node.depth == 0; });
    levels_.push_back({tops, tree_.cut_children, tree_.cut, true, ""});
    for (const CallTreeNode& node : tree_.nodes) PrintNode(node);
    while (!levels_.empty()) CloseLevel();
  }

 private:
  // The children of one node.
  struct Level {
    size_t left;  // That are still to come.
    uint32_t cut_count;
    Measure cut;
    bool branches;  // More than one, or some were cut.
    std::string prefix;
  };

  std::string Numbers(const Measure& total) const {
    return absl::StrCat(
        "  ", PadLeft(BytesText(total.usable), 9),
        PadLeft(PercentText(total.usable, tree_.total.usable), 9),
        PadLeft(ThousandsText(total.blocks), 13), "   ");
  }

  void Line(const std::string& numbers, const std::string& prefix,
            const std::string& text) {
    std::string line =
        absl::StrCat(PadRight(numbers, kNumbersWidth - 6), prefix, text);
    line.resize(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  std::string Text(const CallTreeNode& node, size_t prefix_width) const {
    const size_t width = TextColumns() - (kNumbersWidth - 6) -
                         std::min<size_t>(prefix_width, 50);
    if (node.without_stack) {
      return FitText(absl::StrCat("(", ReasonText(node.reason), ")"), width);
    }
    return FrameText((*census_.table)[node.frame], width);
  }

  void PrintNode(const CallTreeNode& node) {
    while (levels_.back().left == 0) CloseLevel();
    Level& level = levels_.back();
    --level.left;
    const bool last = level.left == 0 && level.cut_count == 0;
    std::string own = level.prefix;
    std::string below = level.prefix;
    if (level.branches && levels_.size() > 1 &&
        TextWidth(level.prefix) < kMostIndent) {
      own += last ? "\u2514 " : "\u251c ";
      below += last ? "  " : "\u2502 ";
    }
    const bool chained = !level.branches && levels_.size() > 1;
    Line(chained ? "" : Numbers(node.total), own, Text(node, TextWidth(own)));
    const bool branches =
        node.children + node.cut_children > 1 ||
        (node.children + node.cut_children == 1 && node.self != Measure()) ||
        node.cut_children > 0;
    levels_.push_back(
        {node.children, node.cut_children, node.cut, branches, below});
  }

  // After the last child: says what was cut.
  void CloseLevel() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.cut_count == 0 || level.cut == Measure()) return;
    const bool top = levels_.empty();
    Line(Numbers(level.cut), absl::StrCat(level.prefix, top ? "" : "\u2514 "),
         absl::StrCat("\u2026 ", CountOf(level.cut_count, "more branch",
                                         "more branches")));
  }

  std::ostream& out_;
  const CallTree& tree_;
  const Census& census_;
  std::vector<Level> levels_;
};

}  // namespace

void PrintCallTree(std::ostream& out, const Census& census) {
  CallTreeOptions options;
  options.inverted = census.options.inverted;
  options.fold_library = true;
  const bool all = census.options.top == 0;
  options.min_share = all ? 0 : kMinShare;
  options.most_nodes = all ? 0 : kMostRows;
  const CallTree tree = BuildCallTree(census, options);
  if (tree.nodes.empty()) return;
  out << '\n';
  Paragraph(
      out, "  ",
      absl::StrCat(
          options.inverted
              ? "Inverted call tree, from the allocation site to its callers"
              : "Call tree, from the outermost call to the allocation",
          "; frames of the C++ library are left out",
          all ? "" : "; branches below 1 % are summed up (--top 0 shows all)"));
  out << "\n     usable        %       blocks\n";
  TreePrinter(out, tree, census).Print();
  if (tree.nodes.size() < kMostRows || all) return;
  out << '\n';
  Paragraph(
      out, "  ",
      absl::StrCat("\u2026 the ", kMostRows, " largest rows of the call tree; ",
                   CountOf(tree.cut_nodes, "branch", "branches"),
                   " with all below not shown; --top 0 shows all"));
}

}  // namespace heaptally
