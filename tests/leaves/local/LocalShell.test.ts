import { LocalShell } from "@sluice/shell"
import { localFlags } from "../../support/localFlags.ts"
import { shellContract } from "../../support/shellContract.ts"

shellContract("LocalShell", { layer: LocalShell.layerWith, can: localFlags })
