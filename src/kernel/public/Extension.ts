/**
 * Exports the types of extensions: functions of the host that scripts call as commands.
 *
 * @module
 */
export type { Extension, ExtensionContext, ExtensionOutput, ExtensionResult, Extensions } from "../process/Extension.ts"
