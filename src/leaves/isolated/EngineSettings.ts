/**
 * Declares the settings with which an engine builds walls on this machine, and makes walls for an engine with a
 * launcher.
 */
import { isBound } from "./boundMounts.ts"
import type { Walls } from "./enclose.ts"
import { type IsolationLauncher, launcherWords, outerWords, packEnvironment } from "./launcher.ts"
import type { Mount } from "./Mount.ts"

/** Settings that every engine needs. */
export interface EngineSettings {
  /** Path of `sh`. */
  readonly shell: string
  readonly launcher: IsolationLauncher
  /** The architecture, as the runtime names it. */
  readonly arch: string
  /** The current mounts, in their order. */
  readonly mounts: () => ReadonlyArray<Mount>
  readonly maxTmpBytes: number
  /** The file of the filter of system calls; `undefined` without one for this architecture. */
  readonly filterPath: string | undefined
}

/** The parts of the isolation that depend on the engine. */
export interface LaunchingEngine {
  /** Processes between the engine and the command. */
  readonly depth: number
  /** Whether the launcher installs the filter of system calls, instead of the engine. */
  readonly launcherFilters: boolean
  /** Whether the launcher checks that no bound folder was replaced, instead of the engine. */
  readonly launcherChecks: boolean
  /** The words that start the engine. */
  readonly words: (mounts: ReadonlyArray<Mount>, cwd: string, onTerminal: boolean) => ReadonlyArray<string>
}

/** Makes walls whose command line is a shell, the engine, the launcher and the command, in this order. */
export const launchedWalls = (
  { arch, filterPath, launcher, mounts, shell }: EngineSettings,
  { depth, launcherChecks, launcherFilters, words }: LaunchingEngine,
): Walls => ({
  reportsSignals: launcher.kind === "perl",
  depth,
  build: ({ args, argv0, env, file, terminal }, cwd, statusPath, socket) => {
    const packed = packEnvironment(env?.set ?? {})
    const own: ReadonlyArray<Mount> = socket === undefined ? [] : [{ _tag: "ReadOnly", path: socket }]
    const walls = [...mounts(), ...own]
    const onTerminal = terminal !== undefined
    return {
      file: shell,
      env: packed,
      args: [
        ...outerWords(statusPath, filterPath ?? "/dev/null"),
        ...words(walls, cwd, onTerminal),
        ...launcherWords(launcher, {
          arch,
          variables: Object.keys(packed).length,
          name: argv0 ?? file,
          file,
          onTerminal,
          filter: launcherFilters && filterPath !== undefined,
          socket,
          bound: launcherChecks ? walls.filter(isBound).map(({ path }) => path) : [],
        }),
        ...args,
      ],
    }
  },
})
