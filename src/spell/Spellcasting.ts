/** Declares the `Spellcasting` service, which casts spells by name. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { SpellFault } from "./SpellEntry.ts"
import { castWith, service } from "./castSpell.ts"
import type { Spellbook } from "./makeSpellbook.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"

const Base: Context.ServiceClass<Spellcasting, "@sluice/shell/Spellcasting", SpellcastingService> = Context.Service<
  Spellcasting,
  SpellcastingService
>()("@sluice/shell/Spellcasting")

/**
 * Casts spells. The layer decides which, and where.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, Spellbook, Spellcasting, writeFile } from "@sluice/shell/spell"
 * import { Effect, Layer } from "effect"
 *
 * const spells = Spellcasting.layer(Spellbook.make(readFile, writeFile)).pipe(Layer.provide(MemoryFileSystem.layer))
 * const program = Effect.gen(function* () {
 *   yield* Spellcasting.cast("write_file", { path: "a.txt", content: "hello" })
 *   return yield* Spellcasting.cast("read_file", { path: "a.txt" })
 * })
 * const result = await Effect.runPromise(Effect.provide(program, spells))
 * console.log(JSON.stringify(result).includes("hello")) // true
 * ```
 */
export class Spellcasting extends Base {
  /** Casts the spells of a book with the services of the context. */
  static layer<R>(book: Spellbook<R>): Layer.Layer<Spellcasting, never, R> {
    return Layer.effect(Spellcasting, service(book))
  }

  /** Casts one spell. `correlationId` is the id of the invocation in journals. Default: a UUIDv7. */
  static cast(
    name: string,
    input: Schema.Json,
    { correlationId }: { readonly correlationId?: string | undefined } = {},
  ): Effect.Effect<Schema.Json, SpellFault, Spellcasting> {
    return Effect.flatMap(Spellcasting, (spells) => castWith(spells, name, input, correlationId))
  }
}
