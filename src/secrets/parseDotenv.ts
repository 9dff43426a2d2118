/** Parses the lines of a `.env` file: `NAME=value`, quoted or not, with `export` before it and comments after it. */

const line =
  /^[^\S\n]*(?:export\s+)?([\w.-]+)[^\S\n]*=[^\S\n]*(?:'([^']*)'|"((?:[^"\\]|\\[^])*)"|([^'"\s#][^\n]*?|))(?:[^\S\n]+#.*)?[^\S\n]*$/gm

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The variables of a file; lines of another form are ignored. */
export const parseDotenv = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.replaceAll("\r\n", "\n").matchAll(line), ([, name = "", literal, quoted, bare = ""]) => [
      name,
      literal ?? quoted?.replace(/\\([^])/g, (_, escaped: string) => escapes[escaped] ?? escaped) ?? bare,
    ]),
  )
