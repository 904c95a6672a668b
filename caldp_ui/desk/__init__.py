"""The desk: one frozen release of a list that an office holds, asked for one question at a time."""
