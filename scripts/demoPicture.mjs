/**
 * Draws `docs/demo.svg`: what `sluice demo` prints on a terminal, line after line. `deno run -A scripts/demoPicture.mjs`
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { demo } from "../src/cli/demo/demo.ts"
import { root } from "./examples.mjs"

const columns = 104
const [charWidth, lineHeight, margin, bar] = [8.4, 20, 16, 30]

/** The classes of SGR parameters; the others end them. @type {Readonly<Record<string, string>>} */
const styles = { 1: "b", 2: "f", 31: "r", 32: "g" }

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** The lines of a terminal: texts with a class. @param {string} text */
const toLines = (text) => {
  /** @type {Array<Array<readonly [style: string, text: string]>>} */
  const lines = [[]]
  let column = 0
  // Each piece begins with the parameters of its style.
  for (const piece of `m${text}`.split("\x1b[")) {
    const end = piece.indexOf("m")
    const style = styles[piece.slice(0, end)] ?? ""
    for (const char of piece.slice(end + 1)) {
      if (char === "\n" || column === columns) {
        lines.push([])
        column = 0
      }
      if (char === "\n") continue
      column++
      const line = lines.at(-1) ?? []
      const last = line.at(-1)
      if (last?.[0] === style) line[line.length - 1] = [style, last[1] + char]
      else line.push([style, char])
    }
  }
  return lines
}

/** The output of the demo, without its first line and the last three. */
const printed = async () => {
  let text = ""
  const unused = () => undefined
  /** @type {import("../src/cli/CliProcess.ts").CliProcess} */
  const cli = {
    args: [],
    variable: unused,
    forget: unused,
    isTerminal: () => true,
    columns: unused,
    write: (_fd, bytes) => {
      text += new TextDecoder().decode(bytes)
      return Promise.resolve(bytes.length)
    },
    hasInput: () => false,
    openTerminal: unused,
    openInput: () => Promise.reject(new Error("no input")),
    onSignal: unused,
    exit: unused,
  }
  await Effect.runPromise(demo({ name: "demo", operands: [], flags: new Map([["speed", ["max"]]]) }, cli))
  return text.slice(text.indexOf("\n") + 1, text.indexOf("\x1b[1mNext:")).trimEnd()
}

export const demoPicture = async () => {
  const lines = toLines(await printed())
  const [width, height] = [columns * charWidth + 2 * margin, lines.length * lineHeight + bar + 2 * margin]
  const texts = lines.map((line, index) => {
    // Times differ from run to run.
    const spans = line.filter(([, text]) => !/^\(\d+ ms\)$/.test(text)).map(([style, text]) =>
      style === "" ? escape(text) : `<tspan class="${style}">${escape(text)}</tspan>`
    )
    const y = bar + margin + 14 + index * lineHeight
    return `<text x="${margin}" y="${y}" style="animation-delay:${(index * 0.25).toFixed(1)}s">${spans.join("")}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${
    Math.ceil(width)
  } ${height}" role="img" aria-label="sluice demo">
<style>
rect { fill: #15171c }
text { fill: #d6d9e0; font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; animation: show .2s backwards }
.b { font-weight: bold } .f { fill: #8a909c } .r { fill: #ff7b72 } .g { fill: #6fd08c }
@keyframes show { from { opacity: .25 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="100%" height="100%" rx="10"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/><circle cx="40" cy="20" r="6" fill="#febc2e"/><circle cx="60" cy="20" r="6" fill="#28c840"/>
${texts.join("\n")}
</svg>
`
}

if (import.meta.main) writeFileSync(join(root, "docs", "demo.svg"), await demoPicture())
