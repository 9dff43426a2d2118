/** All built-in spells, for tests of what holds for each of them. */
import * as spells from "../../src/spell/mod.ts"

const isSpell = (value: unknown): value is spells.Spell.Spell<string, unknown> =>
  typeof value === "object" && value !== null && "cast" in value && "readOnly" in value

/** The exports of `./spell` that are spells, so that a new one is tested without another line. */
export const builtinSpells: ReadonlyArray<spells.Spell.Spell<string, unknown>> = Object.values<unknown>(spells).filter(
  isSpell,
)
