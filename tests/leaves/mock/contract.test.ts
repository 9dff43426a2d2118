import { MockShell } from "@sluice/shell/testing"
import { shellContract } from "../../support/shellContract.ts"
import { tinyShell } from "./tinyShell.ts"

shellContract("MockShell", {
  layer: (settings) =>
    MockShell.layerWith(tinyShell, {
      ...settings,
      executable: ({ command, useShell }) => useShell ? "/bin/sh" : `/usr/bin/${command}`,
    }),
  can: {
    machine: false,
    files: false,
    trees: false,
    escapees: false,
    runaways: false,
    backPressure: false,
    limits: false,
    clock: true,
    resolvesPath: false,
  },
  because: {
    machine: "no program runs",
    files: "no program runs",
    trees: "no program runs",
    escapees: "no program runs",
    runaways: "no program runs",
    limits: "no program runs",
    backPressure: "a script has its output at hand",
    resolvesPath: "the script names its program",
  },
})
