#!/usr/bin/env bash
# perl: hashes, strings, regular expressions, sorting, fork.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0

cat >"$work/script.pl" <<'PERL'
use strict; use warnings; use Digest::MD5 qw(md5_hex); use Data::Dumper;
my %count;
for my $i (1 .. 100000) { $count{"w" . ($i * 7919 % 10007)} += $i; }
my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 20];
print "$_ $count{$_}\n" for @top;
my $text = join " ", map { "word$_" } 1 .. 30000;
my $n = 0; $n++ while $text =~ /(\w)\w*?(\d)\2/g; print "$n\n";
(my $copy = $text) =~ s/word(\d+)/<$1>/g; print md5_hex($copy), "\n";
my @rows = map { { id => $_, tags => [ map { $_ x 3 } 1 .. $_ % 9 ] } } 1 .. 5000;
local $Data::Dumper::Sortkeys = 1; print md5_hex(Dumper(\@rows)), "\n";
print scalar(eval { die { code => 42 } } // $@->{code}), "\n";
my $pid = fork // die; if (!$pid) { my @x = map { "x" x $_ } 1 .. 2000; exit 5; }
waitpid $pid, 0; print $? >> 8, "\n";
my $output = `echo from a child`; print $output;
PERL

perl "$work/script.pl" >"$work/plain.txt"
under perl perl "$work/script.pl" >"$work/under.txt"
same "output of perl" "$work/plain.txt" "$work/under.txt"
check_books "$work/perl.heaptally" 100000
