/** Validates command ids without a Schema. */

/** Maximum length of a command id, in UTF-16 units: enough for any UUID, ULID or trace id with a prefix. */
export const maxCommandIdLength = 200

export const commandIdPattern: RegExp = /^[\x21-\x7e]{1,200}$/

export const commandIdRule = "1 to 200 printable ASCII characters"
