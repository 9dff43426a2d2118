/** Declares the flags of `sluice mcp` that serve spells. */
import * as Result from "effect/Result"
import { type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import { parseChoice, parseNonEmpty } from "../parseValues.ts"

/** What a client is asked about before a spell is cast. */
export type Approve = "ask" | "workspace-write" | "full"

/** The decoded flags. */
export interface SpellFlags {
  /** Whether spells are served instead of the tools that run commands. */
  readonly spells: boolean
  /** The spells to serve; empty for all. */
  readonly spell: ReadonlyArray<string>
  /** The folder that spells see. */
  readonly root: string | undefined
  readonly "read-only": boolean
  readonly sandbox: boolean
  readonly approve: Approve | undefined
}

const requires = "spells"

/** The flags, in the order of the help. */
export const spellFlags: FlagTable<SpellFlags> = {
  "spells": switchFlag("Serve spells instead: read_file, edit_file, run_command and others, on the folder of --root"),
  "spell": {
    ...listFlag(
      "NAME",
      "Serve only this spell, with --spells; repeatable. Default: all",
      (text) =>
        text.includes(",")
          ? Result.fail(`"${text}" is not a name; repeat the flag for each spell`)
          : parseNonEmpty(text),
    ),
    requires,
  },
  "root": {
    ...valueFlag(
      "DIR",
      "Folder that spells see, and that commands run in, with --spells. Default: the current one, or the first root if that is in none",
      parseNonEmpty,
    ),
    requires,
  },
  "read-only": { ...switchFlag("Serve only spells that change nothing, with --spells"), requires },
  "sandbox": {
    ...switchFlag(
      "Run commands in an in-process sandbox with the folder of --root, or with files in memory, with --spells",
    ),
    requires,
  },
  "approve": {
    ...valueFlag(
      "POLICY",
      "Ask the client's user (elicitation), with --spells: ask (before all that changes something), workspace-write (before commands) or full (never). Default: full",
      parseChoice<Approve>("a policy", ["ask", "workspace-write", "full"]),
    ),
    requires,
  },
}
