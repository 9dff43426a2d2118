/** Declares the Schemas of the terminal that a command can have instead of pipes, and of its size. */
import * as Schema from "effect/Schema"
import { terminalTypePattern } from "./plain/terminalType.ts"

const Extent: Schema.Int = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

/** Schema of the size of a terminal in characters: its width and its height. */
export const TerminalSize: Schema.Struct<{ readonly cols: typeof Schema.Int; readonly rows: typeof Schema.Int }> =
  Schema.Struct({ cols: Extent, rows: Extent })

export type TerminalSize = typeof TerminalSize.Type

const Type: Schema.String = Schema.String.check(Schema.isPattern(terminalTypePattern))

/**
 * Schema of a terminal for a command: stdin, stdout and stderr are one pseudo-terminal (pty(7)), which the command controls.
 * All output is stdout, exactly as it was written to the terminal. `term` is its type, the variable `TERM` of the command.
 * Default: `"xterm-256color"`.
 */
export const Terminal: Schema.Struct<{
  readonly cols: typeof Schema.Int
  readonly rows: typeof Schema.Int
  readonly term: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct({ cols: Extent, rows: Extent, term: Schema.optionalKey(Type) })

export type Terminal = typeof Terminal.Type
