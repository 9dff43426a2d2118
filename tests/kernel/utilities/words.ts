/** One command of a case: its words, and the files that its descriptors are. */
export interface Command {
  readonly args: ReadonlyArray<string>
  readonly input?: string
  readonly output?: string
  /** Whether standard error goes where standard output does. */
  readonly joined: boolean
}

/** Words of the small part of the shell language that cases use: quotes, `$'…'`, `|`, `;`, `<`, `>`, `2>&1`. */
const tokens = (text: string): ReadonlyArray<{ readonly word: string; readonly sign: boolean }> => {
  const out: Array<{ word: string; sign: boolean }> = []
  let word: string | undefined
  const escapes: Readonly<Record<string, string>> = {
    n: "\n",
    t: "\t",
    r: "\r",
    "\\": "\\",
    "'": "'",
    v: "\v",
    f: "\f",
    b: "\b",
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ""
    if (letter === " " || letter === "\n") {
      if (word !== undefined) out.push({ sign: false, word })
      word = undefined
    } else if (text.startsWith("2>&1", at) && word === undefined) {
      out.push({ sign: true, word: "2>&1" })
      at += 3
    } else if (/[|;<>]/.test(letter)) {
      if (word !== undefined) out.push({ sign: false, word })
      word = undefined
      out.push({ sign: true, word: letter })
    } else if (letter === "'") {
      const end = text.indexOf("'", at + 1)
      word = (word ?? "") + text.slice(at + 1, end)
      at = end
    } else if (letter === '"') {
      word ??= ""
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === "\\" && /["\\$`]/.test(text[at + 1] ?? "")) at++
        word += text[at]
      }
    } else if (letter === "$" && text[at + 1] === "'") {
      word ??= ""
      for (at += 2; text[at] !== "'"; at++) {
        word += text[at] === "\\" ? escapes[text[++at] ?? ""] ?? text[at] : text[at]
      }
    } else if (letter === "\\") word = (word ?? "") + text[++at]
    else word = (word ?? "") + letter
  }
  if (word !== undefined) out.push({ sign: false, word })
  return out
}

/** A case as pipelines that run one after the other. */
export const commands = (text: string): ReadonlyArray<ReadonlyArray<Command>> => {
  const lines: Array<Array<Command>> = [[]]
  let args: Array<string> = []
  let files: { input?: string; output?: string } = {}
  let joined = false
  const end = (): void => {
    if (args.length > 0) lines[lines.length - 1]?.push({ args, joined, ...files })
    args = []
    files = {}
    joined = false
  }
  const all = tokens(text)
  for (let at = 0; at < all.length; at++) {
    const { sign, word } = all[at] ?? { sign: false, word: "" }
    if (!sign) args.push(word)
    else if (word === "2>&1") joined = true
    else if (word === "<" || word === ">") {
      files = { ...files, [word === "<" ? "input" : "output"]: all[++at]?.word ?? "" }
    } else {
      end()
      if (word === ";") lines.push([])
    }
  }
  end()
  return lines.filter((line) => line.length > 0)
}
