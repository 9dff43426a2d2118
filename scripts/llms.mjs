/**
 * Makes `llms.txt`: the guides, each with its link and one line about it, for language models. The package and the site
 * have one each.
 *
 * @module
 */
import { guides } from "../docs/site/guides.mjs"

export const llmsIntro =
  "# Sluice (@sluice/shell)\n\n> Run commands as typed, windowed, journaled streams on Deno, Bun and Node.\n"

/**
 * @param {string} folder of the guides, as the links begin
 * @param {ReadonlyArray<string>} [more] lines before the guides
 */
export const llmsText = (folder, more = []) =>
  [
    llmsIntro,
    ...more,
    ...guides.map(({ group, pages }) =>
      [`## ${group}\n`, ...pages.map(({ about, file, title }) => `- [${title}](${folder}${file}): ${about}`), ""]
        .join("\n")
    ),
  ].join("\n")
