/** Validates types of terminals without a Schema. */
/** Pattern of the types of terminals. */
export const terminalTypePattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$/

/** Whether a text can be the type of a terminal. */
export const isTerminalType = (text: string): boolean => terminalTypePattern.test(text)
