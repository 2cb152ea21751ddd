#version 300 es
// A floor of squares, large enough to fade out.
precision highp float;
layout(location = 0) in vec2 corner;
uniform mat4 pose, camera;
uniform float reach;
out vec2 place;

void main() {
  place = reach * corner;
  gl_Position = camera * (pose * vec4(place, 0.0, 1.0));
}
