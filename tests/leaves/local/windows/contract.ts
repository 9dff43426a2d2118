/**
 * Runs the contract of shells with programs of POSIX for Windows (posixPrograms.ts). Arguments: parts of titles; those
 * alone are run.
 */
import { resolve } from "node:path"
import process from "node:process"
import { LocalShell } from "@sluice/shell"
import { shellContract } from "../../../support/shellContract.ts"
import { runSuites } from "./runSuites.ts"

// `/tmp` is the same folder for a program of POSIX, for Windows and for Wine, which reads it as a path of Linux.
process.chdir("Z:\\")
const programs = "C:\\posix"
process.env.PATH = `${programs};${process.env.PATH}`
process.env.HOME ??= "/tmp"
process.env.SLUICE_POSIX_TMP = "/tmp"

await runSuites(() => {
  shellContract("WindowsShell", {
    layer: (settings) =>
      LocalShell.layerWith({ defaultShell: `${programs}\\sh.exe`, drainGrace: "2 seconds", ...settings }),
    programs: { sh: `${programs}\\sh.exe`, env: `${programs}\\env.exe`, true: `${programs}\\true.exe` },
    canonical: (path) => resolve(path),
    // Wine's own, and those that Windows or libuv (on Bun and Node) gives each process: uv_spawn(3).
    systemVariables:
      /^(?:WINE.*|SYSTEM(?:ROOT|DRIVE)|PROCESSOR_ARCHITECTURE|PATH|HOME(?:DRIVE|PATH)|LOGONSERVER|TEMP|USER(?:DOMAIN|NAME|PROFILE)|WINDIR)$/i,
    can: {
      signals: false,
      scriptFiles: false,
      links: false,
      quickStart: false,
      files: true,
      // Shown by promises of their own: ending.ts, parents.ts.
      trees: false,
      escapees: true,
      runaways: false,
      backPressure: true,
      limits: false,
      clock: true,
      resolvesPath: true,
    },
    because: {
      signals: "Windows has none",
      scriptFiles: "Windows has no `#!`",
      links: "Wine has none",
      quickStart: "a program starts in 50 ms under Wine",
      trees: "promises of Windows' own prove them, as the job objects they end by",
      runaways: "job objects need no search",
      limits: "`LocalShell` refuses them on Windows",
    },
  })
}, process.argv.slice(2))
process.exit()
