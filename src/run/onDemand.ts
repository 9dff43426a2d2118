/** Exports rarely needed functions as one module, which is loaded on first use. */
export { commandAdvice } from "./commandAdvice.ts"
export { openDestination } from "./openDestination.ts"
export { openTerminal } from "./openTerminal.ts"
export { parseJson, schemaError } from "./parseJson.ts"
export { standInShell } from "./standInShell.ts"
