// The process alone: what every other entry costs is counted above this.
