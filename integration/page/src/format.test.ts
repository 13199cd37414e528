import { describe, expect, it } from 'vitest';
import { bytes, count, duration, exactBytes, fileName, nameParts, percent, programName, signed, time, thinned } from './format';

describe('bytes', () => {
  it('has three significant digits in binary units', () => {
    expect(bytes(50_541_322)).toBe('48.2 MiB');
    expect(bytes(1_053_818)).toBe('1.00 MiB');
    expect(bytes(104_857_600)).toBe('100 MiB');
    expect(bytes(5 * 2 ** 40)).toBe('5.00 TiB');
  });
  it('is exact below a KiB and goes to the next unit before four digits', () => {
    expect(bytes(0)).toBe('0 B');
    expect(bytes(1023)).toBe('1023 B');
    expect(bytes(1024)).toBe('1.00 KiB');
    expect(bytes(1023 * 1024)).toBe('1.00 MiB');
    expect(bytes(999 * 1024)).toBe('999 KiB');
  });
  it('rounds within the digits that it shows', () => {
    expect(bytes(9.996 * 1024)).toBe('10.0 KiB');
    expect(bytes(99.96 * 1024)).toBe('100 KiB');
  });
  it('has a real minus', () => expect(bytes(-2048)).toBe('\u22122.00 KiB'));
});

describe('counts and signs', () => {
  it('groups digits by thin spaces', () => {
    expect(count(9812)).toBe('9\u2009812');
    expect(count(1_234_567)).toBe('1\u2009234\u2009567');
    expect(count(-12404)).toBe('\u221212\u2009404');
    expect(count(100)).toBe('100');
  });
  it('groups the counts in a sentence alike, and leaves lists alone', () => {
    expect(thinned('+140,247 blocks, 1,234,567 in all; 12, 13')).toBe(
      '+140\u2009247 blocks, 1\u2009234\u2009567 in all; 12, 13',
    );
  });
  it('writes a minus in a sentence, and leaves hyphens alone', () => {
    expect(thinned('-135 KiB, -665 blocks; libx-2.so')).toBe(
      '\u2212135 KiB, \u2212665 blocks; libx-2.so',
    );
  });
  it('says the exact bytes', () => expect(exactBytes(1)).toBe('1 byte'));
  it('signs all but zero', () => {
    expect(signed(36.1 * 2 ** 20, bytes)).toBe('+36.1 MiB');
    expect(signed(-9806, count)).toBe('\u22129\u2009806');
    expect(signed(0, count)).toBe('0');
  });
});

describe('percent', () => {
  it('never says none or all when it is not so', () => {
    expect(percent(0, 100)).toBe('0%');
    expect(percent(1, 1e6)).toBe('<0.1%');
    expect(percent(999_999, 1e6)).toBe('99.9%');
    expect(percent(100, 100)).toBe('100%');
  });
  it('has one digit below ten', () => {
    expect(percent(5, 100)).toBe('5.0%');
    expect(percent(64.4, 100)).toBe('64%');
  });
  it('knows an empty whole', () => expect(percent(3, 0)).toBe('0%'));
});

describe('times and names', () => {
  it('gives the time of today, with the date otherwise', () => {
    const now = new Date(2026, 10, 30, 15, 0, 0).getTime();
    const at = new Date(2026, 10, 30, 14, 2, 11).getTime();
    expect(time(at * 1e6, now)).toBe('14:02:11');
    expect(time((at - 86_400_000) * 1e6, now)).toBe('2026-11-29 14:02:11');
  });
  it('gives durations a unit that fits', () => {
    expect(duration(890)).toBe('890 ns');
    expect(duration(4_200_000)).toBe('4.20 ms');
    expect(duration(1.3e9)).toBe('1.3 s');
  });
  it('makes file names of names', () => {
    expect(fileName('after load')).toBe('after-load.heaptally');
    expect(fileName('../../etc/passwd')).toBe('etc-passwd.heaptally');
    expect(fileName('x.heaptally')).toBe('x.heaptally');
    expect(fileName('***')).toBe('snapshot.heaptally');
  });
});

describe('programName', () => {
  it('is the last part of the first word', () => {
    expect(programName('/usr/bin/redis-server --port 0')).toBe('redis-server');
    expect(programName('redis-server *:6379')).toBe('redis-server');
    expect(programName('')).toBe('');
  });
});

describe('names', () => {
  it('are parted before the end that says the most', () => {
    expect(nameParts('a::Registry::Hatch(char const*, b::C)')).toEqual(['a::Registry::', 'Hatch(char const*, b::C)']);
    expect(nameParts('(anonymous namespace)::run<std::string>()')).toEqual(['(anonymous namespace)::', 'run<std::string>()']);
    expect(nameParts('/src/demo/monsters.cc:55')).toEqual(['/src/demo/', 'monsters.cc:55']);
    expect(nameParts('main')).toEqual(['', 'main']);
  });
});
