/** Describes `sluice attach`: its help and its flags. */
import * as Result from "effect/Result"
import type { CommandSpec } from "../CommandSpec.ts"
import { type FlagTable, switchFlag, valueFlag } from "../FlagSpec.ts"
import { type Parsed, parseNonEmpty } from "../parseValues.ts"
import { type ServerTokenFlags, serverTokenFlags } from "../serverTokenFlags.ts"

/** A key with Ctrl: the byte that a terminal sends for it. */
export interface DetachKey {
  readonly byte: number
}

/** Ctrl-], the key of telnet(1), which few programs use. */
export const defaultDetachKey: DetachKey = { byte: 0x1d }

/** Parses `ctrl-]`, `ctrl-q`, `^q`. */
const parseDetachKey = (text: string): Parsed<DetachKey> => {
  const [, key] = /^(?:ctrl-|\^)([a-z[\\\]^_@])$/i.exec(text) ?? []
  if (key === undefined) return Result.fail("name a key with Ctrl, as in ctrl-] or ctrl-q")
  // Control characters are the codes of letters without their upper bits (ASCII).
  return Result.succeed({ byte: key.toUpperCase().charCodeAt(0) & 0x1f })
}

export interface AttachFlags extends ServerTokenFlags {
  readonly url: string | undefined
  readonly "read-only": boolean
  readonly "detach-key": DetachKey | undefined
}

const { token, "token-file": tokenFile } = serverTokenFlags

export const attachFlags: FlagTable<AttachFlags> = {
  "url": valueFlag("URL", "The execution server (sluice serve). Default: SLUICE_URL", parseNonEmpty),
  // Without --url the variable applies.
  "token": { ...token, requires: undefined },
  "token-file": { ...tokenFile, requires: undefined },
  "read-only": switchFlag("Show the terminal, and type nothing; needs no terminal on stdin"),
  "detach-key": valueFlag("KEY", "The key that detaches, as in ctrl-q. Default: ctrl-]", parseDetachKey),
}

export const attachSpec: CommandSpec = {
  name: "attach",
  short: "Attach to a terminal on an execution server",
  about: `Attach to a command that runs on a terminal of an execution server: sluice run --tty --url, the console, or
  POST /exec with a terminal started it. Its output so far is shown first. Several clients can attach and type; the
  terminal takes the size of the client that resized last.

  Without ID it lists the terminals. ID may be the beginning of an id that no other terminal has, or last.

  The key Ctrl-] detaches; the command runs on. A lost connection is retried for two minutes, and no output is
  lost; keys typed in the meantime are dropped.

  Exit status: that of the command when it ends, 0 after detaching, 125 any other failure, including a usage error.`,
  operand: { name: "TERMINAL", about: "The id of the command", min: 0, max: 1 },
  flags: attachFlags,
  examples: [
    ["sluice attach --url http://127.0.0.1:8787", "List the terminals of a server"],
    ["sluice attach --url http://127.0.0.1:8787 last", "Attach to the newest one"],
    ["sluice attach --read-only 01J9", "Watch one, with SLUICE_URL set"],
  ],
}
