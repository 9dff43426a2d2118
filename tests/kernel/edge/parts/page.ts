import { Kernel } from "../../../../src/kernel/Kernel.ts"
import { shellProgram } from "../../../../src/kernel/shell/ShellProgram.ts"

Object.assign(globalThis, { Kernel, shellProgram })
