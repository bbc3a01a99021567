/** `npm run icons`: draws the icons of the installed page from `favicon.svg`, the only drawing of the logo. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../harness/browser.ts';

const publicFolder = fileURLToPath(new URL('../../../apps/web/public', import.meta.url));
export async function drawIcons(): Promise<void> {
  const drawing = await readFile(join(publicFolder, 'favicon.svg'), 'utf8');
  // A maskable icon fills its square and keeps the drawing within the inner four fifths, because systems crop it to their own shape.
  const maskable = drawing
    .replace(/<rect[^>]*>/, '<rect width="64" height="64" fill="#23261c"/>')
    .replace(/<g /, '<g transform="translate(7 7) scale(.78)" ');

  const icons = [
    ...[192, 512].flatMap((size) => [
      { name: `icon-${size}.png`, size, svg: drawing },
      { name: `maskable-${size}.png`, size, svg: maskable },
    ]),
    { name: 'apple-touch-icon.png', size: 180, svg: maskable },
  ];

  await using browser = await launchBrowser();
  await mkdir(join(publicFolder, 'icons'), { recursive: true });
  const page = await browser.newPage();
  for (const { name, size, svg } of icons) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
    await writeFile(join(publicFolder, 'icons', name), await page.screenshot({ omitBackground: true }));
  }
}
