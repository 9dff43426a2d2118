/** Draws the tree of a request: a tool call, its spell and the requests below it, with times and outcomes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readTree, type RequestNode, type RequestTree, treeEntries } from "../../history/requestTree.ts"
import type { Body } from "../../journal/Entry.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal } from "../../journal/JournalService.ts"
import { type CliOutput, entryLines, type SubcommandEffect } from "./CliOutput.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import { durationText, sizeText, whenText } from "./formatValues.ts"
import { fitText, textWidth } from "./table.ts"
import { makeTextStyles, type TextStyles } from "./TextStyle.ts"

interface Ending {
  readonly text: string
  readonly isFailure: boolean
}

const textOf = (body: Body | undefined, name: string): string | undefined => {
  const value = body?.[name]
  return typeof value === "string" ? value : undefined
}

const numberOf = (body: Body | undefined, name: string): number | undefined => {
  const value = body?.[name]
  return typeof value === "number" ? value : undefined
}

const kindOf = (body: Body | undefined): string => {
  const kind = textOf(body, "faultKind") ?? textOf(body, "code")
  return kind === undefined ? "" : `${kind}: `
}

const endingOf = ({ isAnswered, last: { body, tag } }: RequestNode): Ending => {
  if (!isAnswered) return { text: "not ended", isFailure: true }
  if (tag.endsWith("Fault")) return { text: `${kindOf(body)}${textOf(body, "message") ?? tag}`, isFailure: true }
  const exitCode = numberOf(body, "exitCode")
  if (exitCode !== undefined) return { text: `exit ${exitCode}`, isFailure: exitCode !== 0 }
  const decision = textOf(body, "decision")
  if (decision !== undefined) return { text: decision, isFailure: decision === "deny" }
  if (body?.["isFailure"] === true) return { text: "failed", isFailure: true }
  const tokens = numberOf(body, "outputTokens")
  if (tokens !== undefined) {
    return { text: `ok, ${numberOf(body, "inputTokens") ?? 0} + ${tokens} tokens`, isFailure: false }
  }
  const bytes = numberOf(body, "bytesWritten") ?? numberOf(body, "totalSize")
  return { text: bytes === undefined ? "ok" : `ok, ${sizeText(bytes)}`, isFailure: false }
}

/** Width that the subject of a request and its end have at least. */
const minRoom = 10

/** UTF-16 units of an end. */
const maxEnd = 200

interface TreeStyle {
  readonly styles: TextStyles
  /** Width of the terminal; `Infinity` when the output is not a terminal. */
  readonly room: number
}

/** Describes a request; a hop that passes on the request above it has only its name. */
const lineOf = (node: RequestNode, above: string, start: number, { room, styles }: TreeStyle): string => {
  const { text, isFailure } = endingOf(node)
  const { about, isAnswered, last, requested, tag } = node
  const took = isAnswered ? ` ${durationText(Math.max(0, last.time - requested))}` : ""
  const times = `+${durationText(Math.max(0, requested - start))}${took}`
  const name = escapeInvisible(tag)
  const left = room - textWidth(`${name}   ${times}  `)
  const whole = escapeInvisible(text.slice(0, maxEnd))
  const subject = fitText(
    escapeInvisible(about === above ? about.split(" ", 1).join() : about),
    Math.max(minRoom, left - Math.min(textWidth(whole), Math.max(minRoom, left / 2))),
  )
  const end = fitText(whole, Math.max(minRoom, left - textWidth(subject)))
  return `${styles.bold(name)} ${subject}  ${styles.faint(times)}  ${isFailure ? styles.red(end) : end}`
}

const drawTree = (
  id: string,
  { isCut, roots }: RequestTree,
  now: number,
  { room, styles }: TreeStyle,
): ReadonlyArray<string> => {
  const [first] = roots
  if (first === undefined) return []
  const start = first.requested
  const lines = [`${escapeInvisible(id)}  ${styles.faint(whenText(start, now))}`]
  const draw = (nodes: ReadonlyArray<RequestNode>, above: string, indent: string, isRoot: boolean): void => {
    nodes.forEach((node, at) => {
      const isLast = at === nodes.length - 1
      const before = `${indent}${isRoot ? "" : isLast ? "└─ " : "├─ "}`
      lines.push(`${before}${lineOf(node, above, start, { styles, room: room - before.length })}`)
      draw(node.children, node.about, `${indent}${isRoot ? "" : isLast ? "   " : "│  "}`, false)
    })
  }
  draw(roots, "", "", true)
  return isCut ? [...lines, styles.faint("… and more")] : lines
}

/** The tree of a request; `undefined` when the journal has none with this id. */
export const findTree = (id: string): Effect.Effect<RequestTree | undefined, JournalError, Journal> =>
  Effect.map(readTree(id), (tree) => tree.roots.length === 0 ? undefined : tree)

export const showTree = (id: string, tree: RequestTree, now: number, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    if (cliOutput.json) {
      const entries = treeEntries(yield* Journal, id)
      yield* Stream.runForEachArray(entries, (batch) => cliOutput.write(1, entryLines(batch)))
    } else {
      const room = cliOutput.width
      yield* cliOutput.lines(1, drawTree(id, tree, now, { styles: makeTextStyles(cliOutput.cli, 1), room }))
    }
    return 0
  })
