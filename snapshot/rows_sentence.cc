#include "snapshot/rows_sentence.h"

#include "absl/strings/str_cat.h"
#include "snapshot/text_format.h"
#include "snapshot/text_parts.h"

namespace heaptally {
namespace {

std::string SiteText(const RowTable& table, const RowTable::Site& site) {
  if (site.kind == RowKind::kReason) {
    return absl::StrCat("blocks without a stack (", ReasonText(site.id), ")");
  }
  const Frame& frame = table.analysis().table()[site.id];
  std::string function = SafeText(FoldTemplates(frame.function));
  if (frame.file.empty()) return function;
  return absl::StrCat(function, ", ", SafeText(Basename(frame.file)),
                      frame.line == 0 ? "" : absl::StrCat(":", frame.line));
}

// "most of it, 31.0 MiB, from …" or, below one half, "the largest part, …".
std::string PartText(const RowTable& table, uint64_t part, uint64_t whole,
                     absl::string_view part_text, const RowTable::Site& site) {
  if (part == whole)
    return absl::StrCat("all of it from ", SiteText(table, site));
  return absl::StrCat(part > whole / 2 ? "most of it, " : "the largest part, ",
                      part_text, ", from ", SiteText(table, site));
}

uint64_t Magnitude(int64_t number) {
  const auto bits = static_cast<uint64_t>(number);
  return number < 0 ? -bits : bits;
}

std::string PairSentence(const RowTable& table) {
  const Change change = table.matched().change();
  const NetMeasure net = change.net();
  if (!change.changed()) {
    const Query& query = table.query();
    const bool all = query.filter.empty() && query.exclude.empty();
    return absl::StrCat("Nothing changed",
                        all ? ": " : " in what the filter lets pass: ",
                        CountOf(change.survived.blocks, "block", "blocks"),
                        " survived, ", BytesText(change.survived.usable));
  }
  std::string text = absl::StrCat(
      SignedBytesText(net.usable), ", ", SignedCountText(net.blocks),
      net.blocks == 1 || net.blocks == -1 ? " block" : " blocks");
  if (net.usable == 0) {
    return absl::StrCat(
        "No growth: ", BytesText(change.added.usable),
        " new and as much freed, ", SignedCountText(net.blocks),
        net.blocks == 1 || net.blocks == -1 ? " block" : " blocks");
  }
  const RowTable::Site site = table.LargestSite();
  const int64_t part = site.values.net().usable;
  return absl::StrCat(text, "; ",
                      PartText(table, Magnitude(part), Magnitude(net.usable),
                               SignedBytesText(part), site));
}

}  // namespace

std::string RowsSentence(const RowTable& table) {
  if (table.matched().IsZero()) {
    return table.whole().IsZero() ? "There are no blocks"
                                  : "Nothing passes the filter";
  }
  if (table.analysis().is_pair()) return PairSentence(table);
  static constexpr absl::string_view kWhen[] = {"", " at the peak",
                                                " since the start"};
  const Measure& all = table.Shown(table.matched());
  std::string head = absl::StrCat(
      BytesText(all.usable), " in ", CountOf(all.blocks, "block", "blocks"),
      kWhen[static_cast<int>(table.query().series)]);
  if (all == Measure()) return head;
  // Sizes have no stacks of their own at the peak; the units still have.
  const RowTable::Site site = table.LargestSite();
  const uint64_t part = table.Shown(site.values).usable;
  return absl::StrCat(head, "; ",
                      PartText(table, part, all.usable, BytesText(part), site));
}

}  // namespace heaptally
