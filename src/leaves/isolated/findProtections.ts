/** Finds the files and folders to protect in writable folders on this machine. */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import { attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"
import { findGitFiles } from "./findGitFiles.ts"
import { findHomes } from "./findHomes.ts"
import { withoutPlaceholders } from "./placeholders.ts"
import { planProtection, type Protection } from "./planProtection.ts"

/** `names`: the protected names below each folder. */
export const findProtections = (
  host: Host,
  fs: typeof NodeFs,
  names: ReadonlyArray<string>,
  writable: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<Protection>, OptionError> =>
  Effect.flatMap(
    findGitFiles(host, writable),
    (git) =>
      attemptOptions(() =>
        planProtection(withoutPlaceholders(fs, host), { writable, homes: findHomes(host), names, git })
      ),
  )
