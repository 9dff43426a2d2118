/**
 * Holds the conversation of a run by turns, and trims it to a number of tokens: old results of tools are shortened first,
 * then old turns are dropped. A call is never separated from its result.
 *
 * All of it follows from the conversation alone, so that a run that is resumed asks the same. Texts are made of canonical JSON:
 * what was read from a journal has its fields in another order.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../base/canonicalJson.ts"
import type { ModelToolCall } from "./ModelBranch.ts"

type Json = Schema.Json
type Messages = ReadonlyArray<Json>

/** The result of a call, for the model. */
export interface ToolResult {
  readonly call: ModelToolCall
  readonly result: Json
  readonly isFailure: boolean
}

/** What a model said, and the results of its calls. */
export interface Turn {
  readonly messages: Messages
  readonly results: ReadonlyArray<ToolResult>
}

/** A conversation. */
export interface Transcript {
  /** The system's text and the task: they always stay. */
  readonly head: Messages
  /** What stands for the turns that were dropped. */
  readonly note?: string | undefined
  /** How many were dropped. */
  readonly dropped: number
  readonly turns: ReadonlyArray<Turn>
}

/** The message with the results of calls. */
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

/** The messages of a turn. */
const turnMessages = ({ messages, results }: Turn): Messages => [...messages, resultMessage(results)]

const noteMessages = (note: string | undefined): Messages => note === undefined ? [] : [{ role: "user", content: note }]

/** The messages of a conversation. */
export const messagesOf = ({ head, note, turns }: Transcript): Messages => [
  ...head,
  ...noteMessages(note),
  ...turns.flatMap(turnMessages),
]

/** Characters of a token, about: only ratios to what a provider counted are used where it counts. */
const charactersPerToken = 4

/** Characters of messages as JSON. */
const lengthOf = (messages: Messages): number =>
  messages.reduce<number>((sum, message) => sum + JSON.stringify(message).length, 0)

const tokensOf = (length: number): number => Math.ceil(length / charactersPerToken)

const turnLengths = new WeakMap<Turn, number>()

/** Characters of a turn. It is measured once: a long conversation is estimated twice in each of its turns. */
const turnLength = (turn: Turn): number => {
  const known = turnLengths.get(turn)
  if (known !== undefined) return known
  const length = lengthOf(turnMessages(turn))
  turnLengths.set(turn, length)
  return length
}

const lengthOfTurns = (turns: ReadonlyArray<Turn>): number => turns.reduce((sum, turn) => sum + turnLength(turn), 0)

/** An estimate of the tokens of a conversation. */
export const estimateTokens = (transcript: Transcript): number =>
  tokensOf(lengthOf(messagesOf({ ...transcript, turns: [] })) + lengthOfTurns(transcript.turns))

/** Results up to this length stay as they are. */
const maxShortLength = 400

const shortenResult = (each: ToolResult): ToolResult => {
  const text = canonicalJson(each.result)
  if (text.length <= maxShortLength) return each
  const result = {
    omitted: `${text.length} characters of this old result were left out to save space; call again to see it`,
    start: [...text.slice(0, maxShortLength / 2)].join(""),
  }
  return { ...each, result }
}

const shortenTurn = (turn: Turn): Turn => {
  const results = turn.results.map(shortenResult)
  return results.every((each, index) => each === turn.results[index]) ? turn : { ...turn, results }
}

/** A conversation that was trimmed. */
export interface Trimmed {
  readonly transcript: Transcript
  /** Turns whose results were shortened. */
  readonly shortened: number
  /** Turns that were dropped, as they were. */
  readonly dropped: ReadonlyArray<Turn>
}

const noteOf = (dropped: number): string =>
  `[${dropped} earlier ${dropped === 1 ? "turn was" : "turns were"} left out here to save space.]`

/** Trims a conversation to an estimated number of tokens, as far as the newest turns, which stay whole, allow. */
export const trim = (transcript: Transcript, maxTokens: number, keepTurns: number): Trimmed => {
  const { head, turns } = transcript
  const headLength = lengthOf(head)
  const firstKept = Math.max(0, turns.length - keepTurns)
  const kept = [...turns]
  let length = lengthOfTurns(turns)
  const isFitting = (dropped: number): boolean =>
    tokensOf(headLength + lengthOf(noteMessages(noteOf(dropped))) + length) <= maxTokens
  /** Shortens a turn; tells whether that changed it. */
  const shorten = (index: number): boolean => {
    const turn = kept[index]
    if (turn === undefined) return false
    const shortened = shortenTurn(turn)
    length += turnLength(shortened) - turnLength(turn)
    kept[index] = shortened
    return shortened !== turn
  }

  let shortened = 0
  for (let index = 0; index < firstKept && !isFitting(0); index += 1) {
    if (shorten(index)) shortened += 1
  }
  let dropped = 0
  for (const turn of kept.slice(0, firstKept)) {
    if (isFitting(dropped)) break
    length -= turnLength(turn)
    dropped += 1
  }
  // Last, results of the newest turns but one: without them the model could not go on at all.
  for (let index = dropped; index < kept.length - 1 && !isFitting(dropped); index += 1) shorten(index)
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

/** Characters of a dropped turn that a summary is made of. */
const maxSummarizedLength = 4_000

/** The prompt that asks for a summary of dropped turns, and of what stood for those before them. */
export const summaryPrompt = ({ head, note }: Transcript, dropped: ReadonlyArray<Turn>): Messages => {
  const turns = dropped.map((turn) => {
    const text = canonicalJson(turnMessages(turn))
    return text.length <= maxSummarizedLength
      ? text
      : `${text.slice(0, maxSummarizedLength / 2)} … ${text.slice(-maxSummarizedLength / 2)}`
  })
  const content = [
    "These are the oldest turns of a conversation, which will be left out of it. Summarize in at most 300 words what must",
    "be known to go on with the task: what was found, what was changed, what failed, and what is still to be done.",
    "",
    `The task: ${canonicalJson(head.at(-1) ?? null)}`,
    ...(note === undefined ? [] : [`Before: ${note}`]),
    ...turns,
  ].join("\n")
  return [{ role: "user", content }]
}

/** A conversation whose dropped turns are summarized. */
export const withSummary = (transcript: Transcript, summary: string): Transcript => ({
  ...transcript,
  note: `[Summary of the first ${transcript.dropped} turns, which were left out to save space:]\n${summary}`,
})
