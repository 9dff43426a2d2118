/** Describes a prompt that a mock model got, so that a test can check it. */
import type * as Prompt from "effect/ai/Prompt"

/**
 * The result of a tool in a prompt.
 *
 * @stability experimental
 */
export interface MockToolResult {
  /** The id of the call. */
  readonly id: string
  /** The name of the tool. */
  readonly name: string
  /** The result of the spell, or the reason for a failure. */
  readonly result: unknown
  /** Whether the result is a failure. */
  readonly isFailure: boolean
}

/**
 * A prompt that a mock model got.
 *
 * @stability experimental
 */
export interface MockPrompt {
  /** The newest text of the user. */
  readonly text: string
  /** The results of tools, of all turns. */
  readonly results: ReadonlyArray<MockToolResult>
  /** Number of earlier answers of the model. */
  readonly answers: number
  /** The names of the tools that it may call. */
  readonly tools: ReadonlyArray<string>
  /** All of it. */
  readonly prompt: Prompt.Prompt
}

const textOf = (message: Prompt.Message): ReadonlyArray<string> =>
  message.role === "user" ? [message.content.map((part) => part.type === "text" ? part.text : "").join("")] : []

export const mockPromptOf = (prompt: Prompt.Prompt, tools: ReadonlyArray<{ readonly name: string }>): MockPrompt => ({
  text: prompt.content.flatMap(textOf).at(-1) ?? "",
  results: prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ id: part.id, name: part.name, result: part.result, isFailure: part.isFailure }]
          : []
      )
      : []
  ),
  answers: prompt.content.filter(({ role }) => role === "assistant").length,
  tools: tools.map(({ name }) => name),
  prompt,
})
