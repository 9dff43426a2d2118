/**
 * Holds the conversation of a run by turns, and trims it to a number of tokens: shortens old tool results first, then drops
 * old turns. A call is never separated from its result.
 *
 * Trimming depends only on the conversation, so a resumed run sends the same prompts. Values become text as canonical JSON,
 * because fields that were read from a journal are in another order.
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../base/canonicalJson.ts"
import { cutAfter, cutBefore } from "../base/text.ts"
import type { ModelToolCall } from "./ModelBranch.ts"

type Json = Schema.Json
type Messages = ReadonlyArray<Json>

export interface ToolResult {
  readonly call: ModelToolCall
  readonly result: Json
  readonly isFailure: boolean
}

export interface Turn {
  readonly messages: Messages
  readonly results: ReadonlyArray<ToolResult>
}

export interface Transcript {
  /** The system prompt and the task, which are always kept. */
  readonly head: Messages
  /** Replaces the turns that were dropped. */
  readonly note?: string | undefined
  /** Number of dropped turns. */
  readonly dropped: number
  readonly turns: ReadonlyArray<Turn>
}

export const resultMessage = (results: ReadonlyArray<ToolResult>): Json => ({
  role: "tool",
  content: results.map(({ call, isFailure, result }) => ({
    type: "tool-result",
    id: call.id,
    name: call.name,
    isFailure,
    result,
  })),
})

const turnMessages = ({ messages, results }: Turn): Messages => [...messages, resultMessage(results)]

export const messagesOf = ({ head, note, turns }: Transcript): Messages => [
  ...head,
  ...(note === undefined ? [] : [{ role: "user", content: note }]),
  ...turns.flatMap(turnMessages),
]

/** Approximate characters in a token; where a provider counts tokens, the estimate is scaled to its count. */
const charactersPerToken = 4

const lengthOf = (messages: Messages): number =>
  messages.reduce<number>((sum, message) => sum + JSON.stringify(message).length, 0)

/** Cached lengths, because a conversation is measured in every turn. */
const lengths = new WeakMap<Turn, number>()

const lengthOfTurn = (turn: Turn): number => {
  const known = lengths.get(turn)
  if (known !== undefined) return known
  const length = lengthOf(turnMessages(turn))
  lengths.set(turn, length)
  return length
}

const lengthOfHead = (transcript: Transcript): number => lengthOf(messagesOf({ ...transcript, turns: [] }))

export const estimateTokens = (transcript: Transcript): number =>
  Math.ceil(
    transcript.turns.reduce((sum, turn) => sum + lengthOfTurn(turn), lengthOfHead(transcript)) / charactersPerToken,
  )

/** Results up to this length stay as they are. */
const maxShortLength = 400

/** Results of the newest turn up to this length stay unchanged: without them the model could not continue. */
const maxNewestLength = 8_000

const shortenResult = (each: ToolResult, maxLength: number, why: string): ToolResult => {
  const text = canonicalJson(each.result)
  if (text.length <= maxLength) return each
  const result = {
    omitted: `${text.length} characters of this ${why}`,
    start: text.slice(0, cutBefore(text, maxLength / 2)),
  }
  return { ...each, result }
}

const shortenTurn = (
  turn: Turn,
  maxLength = maxShortLength,
  why = "old result were left out to save space; call again to see it",
): Turn => {
  const results = turn.results.map((each) => shortenResult(each, maxLength, why))
  return results.every((each, index) => each === turn.results[index]) ? turn : { ...turn, results }
}

export interface Trimmed {
  readonly transcript: Transcript
  /** Turns whose results were shortened. */
  readonly shortened: number
  /** Turns that were dropped, as they were. */
  readonly dropped: ReadonlyArray<Turn>
}

const noteOf = (dropped: number): string =>
  `[${dropped} earlier ${dropped === 1 ? "turn was" : "turns were"} left out here to save space.]`

/**
 * Trims a conversation to an estimated number of tokens, as far as the newest turns allow. These turns stay whole,
 * unless that leaves no room for the very newest one.
 */
export const trim = (transcript: Transcript, maxTokens: number, keepTurns: number): Trimmed => {
  const { turns } = transcript
  const maxLength = maxTokens * charactersPerToken
  const kept = [...turns]
  let length = turns.reduce((sum, turn) => sum + lengthOfTurn(turn), 0) +
    lengthOfHead({ ...transcript, note: noteOf(transcript.dropped + turns.length) })
  const replace = (index: number, turn: Turn): boolean => {
    const before = kept[index]
    if (before === undefined || before === turn) return false
    length += lengthOfTurn(turn) - lengthOfTurn(before)
    kept[index] = turn
    return true
  }
  const firstKept = Math.max(0, turns.length - keepTurns)

  let shortened = 0
  for (let index = 0; index < firstKept && length > maxLength; index += 1) {
    const turn = kept[index]
    if (turn !== undefined && replace(index, shortenTurn(turn))) shortened += 1
  }
  let dropped = 0
  for (; dropped < firstKept && length > maxLength; dropped += 1) {
    const turn = kept[dropped]
    if (turn !== undefined) length -= lengthOfTurn(turn)
  }
  // Then shortens results of the newest turns except the very newest, and last of that one.
  for (let index = dropped; index < kept.length - 1 && length > maxLength; index += 1) {
    const turn = kept[index]
    if (turn !== undefined && replace(index, shortenTurn(turn))) shortened += 1
  }
  const newest = kept.at(-1)
  if (newest !== undefined && length > maxLength) {
    const room = maxLength - (length - lengthOfTurn(newest))
    const each = Math.max(maxNewestLength, Math.floor(room / Math.max(1, newest.results.length)))
    const why = "result were left out, as it is too long for you; ask for less of it at once"
    if (replace(kept.length - 1, shortenTurn(newest, each, why))) shortened += 1
  }
  const all = transcript.dropped + dropped
  return {
    transcript: {
      ...transcript,
      turns: kept.slice(dropped),
      dropped: all,
      ...(dropped === 0 ? undefined : { note: noteOf(all) }),
    },
    shortened,
    dropped: turns.slice(0, dropped),
  }
}

/** Maximum characters of a dropped turn that go into a summary. */
const maxSummarizedLength = 4_000

/** The prompt that asks for a summary of the dropped turns and of the summary before them. */
export const summaryPrompt = ({ head, note }: Transcript, dropped: ReadonlyArray<Turn>): Messages => {
  const turns = dropped.map((turn) => {
    const text = canonicalJson(turnMessages(turn))
    return text.length <= maxSummarizedLength
      ? text
      : `${text.slice(0, cutBefore(text, maxSummarizedLength / 2))} … ${
        text.slice(cutAfter(text, text.length - maxSummarizedLength / 2))
      }`
  })
  const content = [
    "These are the oldest turns of a conversation, which will be left out of it. Summarize in at most 300 words what must",
    "be known to continue the task: what was found, what was changed, what failed, and what remains to be done.",
    "",
    `The task: ${canonicalJson(head.at(-1) ?? null)}`,
    ...(note === undefined ? [] : [`Before: ${note}`]),
    ...turns,
  ].join("\n")
  return [{ role: "user", content }]
}

export const withSummary = (transcript: Transcript, summary: string): Transcript => ({
  ...transcript,
  note: `[Summary of the first ${transcript.dropped} turns, which were left out to save space:]\n${summary}`,
})
