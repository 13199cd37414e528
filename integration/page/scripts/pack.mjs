// Packs the built page for the tool: dist/page.html.gz, the same bytes for the
// same sources (no time, no operating system in the gzip header), and
// dist/csp.txt, the Content-Security-Policy that lets the page's own script and
// style run and nothing else.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'fflate';

// Their licences ask that these go with every copy.
const notices = ['preact', 'd3-hierarchy']
  .map((name) => `${name}\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n`)
  .join('\n');
const html = readFileSync('out/index.html', 'utf8') + `<!--\n${notices}-->\n`;

function hashes(tag) {
  const found = [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>([^]*?)</${tag}>`, 'g'))];
  if (found.length !== 1) throw new Error(`${found.length} <${tag}> in the page; one is expected`);
  return found.map(
    ([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
}

if (/<[a-z][^>]*\s(style|on[a-z]+)=/i.test(html.replace(/<(script|style)\b[^]*?<\/\1>/g, '')))
  throw new Error('inline style or handler attributes: the policy would refuse them');
if (/<(script|link|img)\b[^>]*\s(src|href)=(?!["']?data:)/i.test(html.replace(/<script\b[^]*?<\/script>/g, '')))
  throw new Error('the page refers to another file');

const policy = [
  `default-src 'none'`,
  `script-src ${hashes('script').join(' ')}`,
  `style-src ${hashes('style').join(' ')}`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

// Not by Node's own zlib: its output differs between processors and versions.
const packed = gzipSync(Buffer.from(html), { level: 9, mtime: 0 });
packed[9] = 255;
mkdirSync('dist', { recursive: true });
writeFileSync('dist/page.html.gz', packed);
writeFileSync('dist/csp.txt', policy + '\n');
console.log(`dist/page.html.gz: ${packed.length} bytes (${html.length} unpacked)`);
