/** Makes the leaves that run commands on this machine, on any runtime: one for every system, one for POSIX, one for Windows. */
import { findHost } from "../../host/findHost.ts"
import type { Host } from "../../host/Host.ts"
import { type LocalLeaf, makeLocalLeaf } from "./LocalLeaf.ts"
import { makeLocalService } from "./makeLocalService.ts"

/**
 * Runs commands on this machine through Deno, Bun or Node.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const greeting = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(LocalShell.layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * const shell = LocalShell.layerWith({ cwd: "/", maxConcurrency: 16, timeout: "1 minute" })
 * console.log(await Effect.runPromise(Effect.provide(Shell.text(ShellExec.make`pwd`), shell))) // /
 * ```
 */
export const LocalShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf(
  "LocalShell",
  "Deno, Bun or Node",
  findHost,
  makeLocalService,
)

const hostIf = (isWindows: boolean) => (): Host | undefined => {
  const host = findHost()
  return host !== undefined && (host.os === "windows") === isWindows ? host : undefined
}

/**
 * {@link LocalShell} on POSIX systems (Linux, macOS, BSD); on Windows it is a defect.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const greeting = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(PosixShell.layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * ```
 */
export const PosixShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf(
  "PosixShell",
  "a POSIX system",
  hostIf(false),
  makeLocalService,
)

/**
 * {@link LocalShell} on Windows; on any other system it is a defect.
 *
 * - Programs are found by PATH and PATHEXT of the command's environment, never in the working directory; events have the full
 *   path. `.cmd` and `.bat` files run through cmd.exe, `.ps1` files through PowerShell, with every argument as given; an
 *   argument that cannot be passed on (a line break to a batch file) is refused.
 * - `useShell` runs cmd.exe, or PowerShell with `preferPowerShell`.
 * - Names of environment variables are case-insensitive.
 * - Exit codes have 32 bits.
 * - Commands end at once: Windows has no signal that requests it, so `grace` does not apply.
 * - Each command is in a job object (`useJobObjects`): its whole tree ends with it, and with this program, however that ends.
 *   Bun needs nothing for it; Deno needs `--allow-ffi=C:\Windows\System32\kernel32.dll`. Node cannot do it and uses
 *   `taskkill`: then `capabilities.groupKill` is `"helper"`.
 *
 * @example
 * ```ts
 * import { PosixShell, Shell, ShellExec, WindowsShell } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const layer = process.platform === "win32" ? WindowsShell.layer : PosixShell.layer
 * const greeting = Shell.text(ShellExec.shell("echo hello")).pipe(Effect.provide(layer))
 * console.log(await Effect.runPromise(greeting)) // hello
 * ```
 */
export const WindowsShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf(
  "WindowsShell",
  "Windows",
  hostIf(true),
  makeLocalService,
)
