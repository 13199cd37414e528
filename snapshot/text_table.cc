#include "snapshot/text_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_split.h"
#include "snapshot/text_format.h"

namespace heaptally {
namespace {

constexpr size_t kGap = 2;

}  // namespace

void TextTable::PrintCells(std::ostream& out,
                           const std::vector<std::string>& cells,
                           const std::vector<size_t>& widths) const {
  size_t used = 0;
  std::string line;
  for (size_t i = 0; i + 1 < cells.size(); ++i) {
    line += std::string(kGap, ' ') + PadLeft(cells[i], widths[i]);
    used += kGap + widths[i];
  }
  line += std::string(kGap, ' ');
  used += kGap;
  const size_t left = TextColumns() > used ? TextColumns() - used : 20;
  line += fit_(SafeText(cells.back()), TextColumnsKnown() ? left : SIZE_MAX);
  line.resize(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void TextTable::Row(std::vector<std::string> cells,
                    std::vector<std::string> below) {
  rows_.push_back({std::move(cells), std::move(below)});
}

void TextTable::Print(std::ostream& out, bool blank_lines) const {
  std::vector<size_t> widths;
  for (const std::string& header : headers_) {
    widths.push_back(TextWidth(header));
  }
  for (const Line& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], TextWidth(row.cells[i]));
    }
  }
  PrintCells(out, headers_, widths);
  for (const Line& row : rows_) {
    if (blank_lines && !row.below.empty()) out << '\n';
    PrintCells(out, row.cells, widths);
    for (const std::string& line : row.below) out << line << '\n';
  }
}

void Paragraph(std::ostream& out, absl::string_view head,
               absl::string_view text) {
  const size_t indent = TextWidth(head);
  std::string line(head);
  bool empty = true;
  for (const absl::string_view word :
       absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!empty && TextWidth(line) + 1 + TextWidth(word) > TextColumns()) {
      out << line << '\n';
      line.assign(indent, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line.append(word.data(), word.size());
    empty = false;
  }
  out << line << '\n';
}

}  // namespace heaptally
