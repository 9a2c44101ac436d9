namespace kinetic {}
