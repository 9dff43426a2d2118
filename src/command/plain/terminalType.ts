/** Validates types of terminals without a Schema. */
export const terminalTypePattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$/

export const isTerminalType = (text: string): boolean => terminalTypePattern.test(text)
