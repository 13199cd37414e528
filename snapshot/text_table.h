// A table for the terminal: columns as wide as their widest cell, numbers to
// the right, the last column to the left and cut at a terminal's width. Lines
// may hang below a row. Not thread-safe.
#ifndef HEAPTALLY_SNAPSHOT_TEXT_TABLE_H_
#define HEAPTALLY_SNAPSHOT_TEXT_TABLE_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "snapshot/text_format.h"

namespace heaptally {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headers)
      : headers_(std::move(headers)) {}

  // How the cells of the last column are cut: FitText unless told otherwise.
  using Fit = std::string (*)(absl::string_view text, size_t width);
  void FitLastBy(Fit fit) { fit_ = fit; }

  // As many cells as there are headers.
  void Row(std::vector<std::string> cells, std::vector<std::string> below = {});
  // `blank_lines`: one before each row that has something below it.
  void Print(std::ostream& out, bool blank_lines = false) const;

 private:
  struct Line {
    std::vector<std::string> cells;
    std::vector<std::string> below;
  };
  void PrintCells(std::ostream& out, const std::vector<std::string>& cells,
                  const std::vector<size_t>& widths) const;

  std::vector<std::string> headers_;
  Fit fit_ = FitText;
  std::vector<Line> rows_;
};

// Writes a paragraph: `head`, then the text wrapped at the text's width, later
// lines indented by the width of `head`.
void Paragraph(std::ostream& out, absl::string_view head,
               absl::string_view text);

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_TEXT_TABLE_H_
