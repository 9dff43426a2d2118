/** Declares the Schemas of journal entries about the terminal of a command: typed input, and new sizes. */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Extent: Schema.Int = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

/**
 * Schema of typed input. `bytes` is its length; `content` is the text, present only if the journaled shell records it
 * (`recordInput`): input may be a password, and other input is echoed into the output anyway.
 */
export const TerminalInput: Schema.TaggedStruct<"TerminalInput", {
  readonly commandId: typeof CommandId
  readonly bytes: typeof Schema.Int
  readonly timestamp: typeof Schema.Int
  readonly content: Schema.optionalKey<typeof Schema.String>
}> = Schema.TaggedStruct("TerminalInput", {
  commandId: CommandId,
  bytes: Count,
  timestamp: Count,
  content: Schema.optionalKey(Schema.String),
})

/** Something that was typed. */
export interface TerminalInput extends Schema.Schema.Type<typeof TerminalInput> {}

/** Schema: the terminal has a new size. */
export const TerminalResized: Schema.TaggedStruct<"TerminalResized", {
  readonly commandId: typeof CommandId
  readonly cols: typeof Schema.Int
  readonly rows: typeof Schema.Int
  readonly timestamp: typeof Schema.Int
}> = Schema.TaggedStruct("TerminalResized", { commandId: CommandId, cols: Extent, rows: Extent, timestamp: Count })

/** A new size. */
export interface TerminalResized extends Schema.Schema.Type<typeof TerminalResized> {}
