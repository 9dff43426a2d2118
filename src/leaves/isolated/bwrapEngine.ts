/** Builds walls with bubblewrap. */
import { isBound } from "./boundMounts.ts"
import { bwrapWords } from "./bwrapWords.ts"
import type { Walls } from "./enclose.ts"
import type { EngineSettings } from "./EngineSettings.ts"
import type { Mount } from "./Mount.ts"
import { launcherWords, outerWords, packEnvironment } from "./launcher.ts"

/** Makes the walls. The process in between is the launcher, if that is perl, and bubblewrap's own init if not. */
export const bwrapEngine = (bwrap: string, settings: EngineSettings): Walls => {
  const perl = settings.launcher.kind === "perl"
  const { arch, filterPath, launcher, mounts, shell, tmpBytes } = settings
  return {
    reportsSignals: perl,
    depth: 2,
    build: ({ args, argv0, env, file, terminal }, cwd, statusPath, socket) => {
      const packed = packEnvironment(env?.set ?? {})
      const variables = Object.keys(packed).length
      const own: ReadonlyArray<Mount> = socket === undefined ? [] : [{ _tag: "ReadOnly", path: socket }]
      const walls = [...mounts(), ...own]
      const filterFd = filterPath === undefined ? undefined : 9
      return {
        file: shell,
        env: packed,
        args: [
          ...outerWords(statusPath, filterPath ?? "/dev/null"),
          bwrap,
          // A terminal of its own is not this program's.
          ...bwrapWords({
            mounts: walls,
            tmpBytes,
            filterFd,
            isInit: perl,
            keepsSession: terminal !== undefined,
          }),
          ...["--chdir", cwd, "--"],
          ...launcherWords(launcher, {
            arch,
            variables,
            name: argv0 ?? file,
            file,
            onTerminal: terminal !== undefined,
            filter: false,
            socket,
            bound: walls.filter(isBound).map(({ path }) => path),
          }),
          ...args,
        ],
      }
    },
  }
}
