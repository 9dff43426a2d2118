/** Implements the `html-to-markdown` utility of just-bash, with its options. */
import type { Program } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"
import { MarkdownConverter } from "./MarkdownConverter.ts"
import { tokenizeHtml } from "./tokenizeHtml.ts"

/** Characters of a page, which is held whole. */
const maxLength = 4_194_304

/** Characters until other processes get a turn; a tag counts as some. */
const charactersPerTurn = 16_384
const charactersOfTag = 128

/**
 * `html-to-markdown [-b CHAR] [-c FENCE] [-r TEXT] [--heading-style=atx|setext] [FILE]`: converts HTML to Markdown. Source:
 * just-bash's `html-to-markdown --help`.
 */
export const htmlToMarkdown: Program = defineUtility(
  "html-to-markdown",
  "b|bullet: c|code: r|hr: heading-style:",
  async (io) => {
    const bullet = io.value("b") ?? "-"
    if (!["-", "+", "*"].includes(bullet)) return io.fail(`invalid bullet marker '${bullet}': use -, + or *`)
    const fence = io.value("c") ?? "```"
    if (fence !== "```" && fence !== "~~~") return io.fail(`invalid code fence '${fence}': use \`\`\` or ~~~`)
    const heading = io.value("heading-style") ?? "atx"
    if (heading !== "atx" && heading !== "setext") {
      return io.fail(`invalid heading style '${heading}': use atx or setext`)
    }
    const input = io.openInput(io.operands[0] ?? "-")
    if (input === undefined) return 1
    const decoder = new TextDecoder()
    let html = ""
    for await (const piece of io.chunks(input)) {
      html += decoder.decode(piece, { stream: true })
      if (html.length > maxLength) io.fail(`${input.path}: the page is longer than ${maxLength} characters`)
    }
    if (input.failed) return 1
    let isEmpty = true
    const converter = new MarkdownConverter({ bullet, fence, heading, rule: io.value("r") ?? "---" }, (text) => {
      isEmpty = false
      io.print(text)
    })
    let done = 0
    for (const token of tokenizeHtml(html + decoder.decode())) {
      converter.push(token)
      done += token.type === "text" ? token.text.length : charactersOfTag
      if (done < charactersPerTurn) continue
      done = 0
      await io.flushAndYield()
    }
    converter.end()
    if (!isEmpty) io.print("\n")
    return io.exitCode
  },
  { maxOperands: 1 },
)
