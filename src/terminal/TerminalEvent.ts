/** Declares the events that a client of a session receives. */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { TerminalResized } from "../compute/TerminalEntry.ts"

export { TerminalResized }

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Extent: Schema.Int = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

/**
 * Schema: the screen as text with escape sequences, which repaints an empty terminal of this size. A new client gets it
 * first, and a client that comes back after more output than is kept. Chunks after `seq` follow. `lost` is the number of
 * chunks since the client's position that it does not get; 0 for a new client.
 */
export const TerminalSnapshot: Schema.TaggedStruct<"TerminalSnapshot", {
  readonly commandId: typeof CommandId
  readonly seq: typeof Schema.Int
  readonly cols: typeof Schema.Int
  readonly rows: typeof Schema.Int
  readonly content: typeof Schema.String
  readonly lost: typeof Schema.Int
}> = Schema.TaggedStruct("TerminalSnapshot", {
  commandId: CommandId,
  seq: Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1)),
  cols: Extent,
  rows: Extent,
  content: Schema.String,
  lost: Count,
})

/**
 * The screen as text that repaints it.
 *
 * @stability experimental
 */
export interface TerminalSnapshot extends Schema.Schema.Type<typeof TerminalSnapshot> {}

/** Schema of the events of a session: any number of the first three, then one `ShellOutput`. */
export const TerminalEvent: Schema.Union<
  readonly [typeof ShellOutputChunk, typeof TerminalSnapshot, typeof TerminalResized, typeof ShellOutput]
> = Schema.Union([ShellOutputChunk, TerminalSnapshot, TerminalResized, ShellOutput])

/**
 * An event of a session.
 *
 * @stability experimental
 */
export type TerminalEvent = typeof TerminalEvent.Type

/**
 * Schema of the visible screen, as a person sees it: lines without escape sequences and without trailing blanks.
 */
export const TerminalScreen: Schema.Struct<{
  readonly text: typeof Schema.String
  readonly lines: Schema.$Array<typeof Schema.String>
  readonly cols: typeof Schema.Int
  readonly rows: typeof Schema.Int
  readonly cursor: Schema.Struct<{
    readonly row: typeof Schema.Int
    readonly column: typeof Schema.Int
    readonly visible: typeof Schema.Boolean
  }>
  readonly title: typeof Schema.String
  readonly alternate: typeof Schema.Boolean
  readonly scrollback: typeof Schema.Int
  readonly seq: typeof Schema.Int
}> = Schema.Struct({
  text: Schema.String,
  lines: Schema.Array(Schema.String),
  cols: Extent,
  rows: Extent,
  cursor: Schema.Struct({ row: Count, column: Count, visible: Schema.Boolean }),
  title: Schema.String,
  alternate: Schema.Boolean,
  scrollback: Count,
  seq: Schema.Int,
})

/**
 * The visible screen. `text` is the lines joined, without empty lines at the end; `cursor` counts from 0; `title` is
 * the title that the program set; `alternate`: the program draws on the whole screen, as vim and less do; `scrollback`
 * is the number of lines above the screen, which {@link TerminalSession.history} returns; `seq` is that of the last
 * chunk shown.
 *
 * @stability experimental
 */
export interface TerminalScreen extends Schema.Schema.Type<typeof TerminalScreen> {}
