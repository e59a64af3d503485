/** Starts, signals and ends processes. */

export const { addSignalListener, Command, execPath, exit, kill, removeSignalListener } = Deno;

export type Command = Deno.Command;
export type CommandOptions = Deno.CommandOptions;
export type CommandOutput = Deno.CommandOutput;
export type CommandStatus = Deno.CommandStatus;
export type ChildProcess = Deno.ChildProcess;
export type Signal = Deno.Signal;

export const OWN_PID = Deno.pid;
