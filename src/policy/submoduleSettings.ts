/** Finds the repositories of submodules below the folder of a repository, and decides about their settings. */
import * as Effect from "effect/Effect"
import { type ListedSetting, listSettings } from "./gitPrograms.ts"
import { decideSettings, type GitSettings, type KeptFiles } from "./gitSettings.ts"

/** Maximum number of submodules that are read; others are ignored. */
const maxSubmodules = 64

const namesIn = (listed: ReadonlyArray<ListedSetting>): ReadonlyArray<string> =>
  listed.flatMap(({ name }) => /^submodule\.(.*)\.(?:active|path|url)$/s.exec(name)?.[1] ?? [])

/**
 * Reads the settings of all submodules that a repository's settings and index name, and of their submodules. A submodule that
 * has not been cloned has no settings: git creates its folder. `ask` lists settings.
 */
export const submoduleSettings = <E>(
  folder: string,
  listed: ReadonlyArray<ListedSetting>,
  kept: KeptFiles,
  ask: (words: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ListedSetting>, E>,
): Effect.Effect<ReadonlyArray<GitSettings>, E> =>
  Effect.gen(function* () {
    const found = new Map<string, GitSettings>()
    const enter = (
      above: string,
      ofAbove: ReadonlyArray<ListedSetting>,
      start: ReadonlyArray<string>,
    ): Effect.Effect<void, E> =>
      Effect.gen(function* () {
        const index = yield* Effect.orElseSucceed(
          ask([...start, ...listSettings, "--blob", ":.gitmodules"]),
          (): ReadonlyArray<ListedSetting> => [],
        )
        for (const name of namesIn([...ofAbove, ...index])) {
          const path = `${above}/modules/${name}`
          const real = kept.realPath(path)
          // As a pattern, a name with an empty part would match other folders.
          const isPlain = !name.split("/").some((part) => /^\.{0,2}$/.test(part))
          if (found.size >= maxSubmodules || found.has(path) || (real ?? path) !== path || !isPlain) continue
          const own = real === undefined ? [] : yield* ask([`--git-dir=${path}`, ...listSettings])
          found.set(path, { ...decideSettings(own, kept, path), folder: path })
          if (real !== undefined) yield* enter(path, own, [`--git-dir=${path}`])
        }
      })
    yield* enter(folder, listed, [])
    return [...found.values()]
  })
