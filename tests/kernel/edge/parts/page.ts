import { Kernel } from "../../../../src/kernel/mod.ts"
import { shellProgram } from "../../../../src/kernel/shell/ShellProgram.ts"

Object.assign(globalThis, { Kernel, shellProgram })
