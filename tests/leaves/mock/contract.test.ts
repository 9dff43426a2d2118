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
})
