/** Builds walls with bubblewrap. */
import { bwrapWords } from "./bwrapWords.ts"
import type { Walls } from "./enclose.ts"
import { type EngineSettings, launchedWalls } from "./EngineSettings.ts"

/** Makes the walls. The process in between is the launcher, if that is perl, and bubblewrap's own init if not. */
export const bwrapEngine = (bwrap: string, settings: EngineSettings): Walls =>
  launchedWalls(settings, {
    depth: 2,
    launcherFilters: false,
    launcherChecks: true,
    words: (mounts, cwd, onTerminal) => [
      bwrap,
      ...bwrapWords({
        mounts,
        maxTmpBytes: settings.maxTmpBytes,
        filterFd: settings.filterPath === undefined ? undefined : 9,
        isInit: settings.launcher.kind === "perl",
        // The command's own terminal is not that of this program.
        keepsSession: onTerminal,
      }),
      ...["--chdir", cwd, "--"],
    ],
  })
