/**
 * The guides in the order of the site's sidebar, of `llms.txt` and of the README's list.
 *
 * @module
 */

/** @type {ReadonlyArray<{ group: string, pages: ReadonlyArray<{ title: string, file: string, about: string }> }>} */
export const guides = [
  {
    group: "Start",
    pages: [
      {
        title: "Scripts",
        file: "scripts.md",
        about: "run commands from scripts with promises and Web Streams",
      },
    ],
  },
];
