import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { BrowserOfTest } from './browser.ts';
import { palettePng } from './palette-png.ts';

/** The most bytes of a picture in docs/images. */
export const MOST_BYTES = 60_000;

/**
 * A person at the console, whose actions are counted. An action is a click, or one text that is typed and confirmed with Enter.
 * Reading, scrolling and waiting are none.
 */
export class Walk {
  readonly page: Page;
  readonly #browser: BrowserOfTest;
  #actions = 0;

  constructor(page: Page, browser: BrowserOfTest) {
    this.page = page;
    this.#browser = browser;
  }

  get actions(): number {
    return this.#actions;
  }

  async click(what: Locator): Promise<void> {
    this.#actions += 1;
    await what.click();
  }

  async type(field: Locator, text: string): Promise<void> {
    this.#actions += 1;
    await field.fill(text);
    await field.press('Enter');
  }

  /** Types into the search box of the header. */
  async search(text: string): Promise<void> {
    await this.type(this.page.getByRole('searchbox', { name: 'Search claims' }), text);
  }

  /** Gives the reason in the dialog, whose Enter does what its button says, once the button is `ready`. */
  async confirm(reason: string, ready: RegExp): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await dialog.getByRole('button', { name: ready }).waitFor();
    await this.type(dialog.getByLabel('Reason'), reason);
  }

  /** Waits until a text is there. */
  async see(text: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    await within.getByText(text).first().waitFor();
  }

  /** Writes a picture of what is seen now, or of the page from `of` on, with UPDATE_DOCS=1 alone. Returns how many bytes the kept one has. */
  async picture(name: string, of: Locator | undefined): Promise<number> {
    const file = `docs/images/${name}.png`;
    await of?.evaluate((element: { scrollIntoView(): void }) => element.scrollIntoView());
    if (process.env['UPDATE_DOCS'] === '1') {
      const shot = await this.page.screenshot({ animations: 'disabled' });
      // The console's own page may not decode pictures: its policy forbids it.
      const { page } = await this.#browser.newPage();
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await palettePng(page, shot));
      await page.close();
    }
    return (await stat(file)).size;
  }
}
