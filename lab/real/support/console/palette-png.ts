import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 256;

/** A picture with the 256 colours that it has most of, which takes a third of the bytes. `page` decodes it. */
export async function palettePng(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, rgba } = await decoded(page, png);
  const palette = commonest(rgba);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc(height * (width + 1)); // each begins with its filter: none
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = rgba.readUInt32BE((y * width + x) * 4) >>> 8;
      let index = indexes.get(colour);
      if (index === undefined) indexes.set(colour, (index = nearest(palette, colour)));
      rows[y * (width + 1) + 1 + x] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, of a palette
  const colours = Buffer.from(palette.flatMap((colour) => [...parts(colour)]));
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function decoded(
  page: Page,
  png: Buffer,
): Promise<{ readonly width: number; readonly height: number; readonly rgba: Buffer }> {
  const [width, height, base64] = await page.evaluate<[number, number, string]>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, width, height);
    let text = '';
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return [width, height, btoa(text)];
  })()`);
  return { width, height, rgba: Buffer.from(base64, 'base64') };
}

function commonest(rgba: Buffer): number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgba.length; at += 4) {
    const colour = rgba.readUInt32BE(at) >>> 8;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.slice(0, MOST_COLOURS).map(([colour]) => colour);
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = parts(colour);
  const distances = palette.map((known) =>
    parts(known).reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function parts(colour: number): readonly [red: number, green: number, blue: number] {
  return [colour >>> 16, (colour >>> 8) & 255, colour & 255];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
