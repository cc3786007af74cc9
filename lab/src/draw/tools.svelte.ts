// What the pointer does on the plane: move points, add one of class `number`, or erase.

export type Tool = "move" | "erase" | number;

class Tools {
  current = $state<Tool>("move");
}

export const tools = new Tools();
