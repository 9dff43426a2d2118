/** All built-in spells, for tests of what holds for each of them. */
import type { Database } from "../../src/database/mod.ts"
import type { Files } from "../../src/files/Files.ts"
import type { Shell } from "../../src/shell/Shell.ts"
import * as spells from "../../src/spell/mod.ts"

/** A built-in spell: these are all services that one of them may need. */
type Builtin = spells.Spell.Spell<string, Files | Shell | Database | spells.ProcessTable>

const isSpell = (value: unknown): value is Builtin =>
  typeof value === "object" && value !== null && "cast" in value && "readOnly" in value

/** The exports of `./spell` that are spells, so that a new one is tested without another line. */
export const builtinSpells: ReadonlyArray<Builtin> = Object.values<unknown>(spells).filter(isSpell)
